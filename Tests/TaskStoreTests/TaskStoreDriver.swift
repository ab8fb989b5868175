import MemoryStore
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// The stores that the suites of this target run against.
enum TaskStoreDriver: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case redis
    case cluster

    var testDescription: String { rawValue }

    /// Runs a test with a store of its own and a manual clock.
    func withArchive(_ body: (_ archive: any TaskArchive, _ time: ManualTimeSource) async throws -> Void) async throws {
        let time = ManualTimeSource()
        switch self {
        case .memory: try await body(MemoryTaskArchive(), time)
        case .redis:
            let server = try await RedisServer()
            try await body(RedisTaskArchive(try connection(server.url), time: time), time)
        case .cluster:
            let cluster = try await RedisCluster()
            try await body(RedisTaskArchive(try connection(cluster.url), time: time), time)
        }
    }

    func withAgenda(_ body: (_ agenda: any TaskAgenda, _ time: ManualTimeSource) async throws -> Void) async throws {
        let time = ManualTimeSource()
        switch self {
        case .memory: try await body(MemoryTaskAgenda(time: time), time)
        case .redis:
            let server = try await RedisServer()
            try await body(RedisTaskAgenda(try connection(server.url), time: time), time)
        case .cluster:
            let cluster = try await RedisCluster()
            try await body(RedisTaskAgenda(try connection(cluster.url), time: time), time)
        }
    }

    func withTraces(_ body: (_ traces: any TaskTraces, _ time: ManualTimeSource) async throws -> Void) async throws {
        // Redis expires keys by its own clock.
        let time = ManualTimeSource(now: SystemTimeSource().now)
        switch self {
        case .memory: try await body(MemoryTaskTraces(time: time), time)
        case .redis:
            let server = try await RedisServer(.forStores)
            try await body(RedisTaskTraces(try connection(server.url), time: time), time)
        case .cluster:
            let cluster = try await RedisCluster()
            try await body(RedisTaskTraces(try connection(cluster.url), time: time), time)
        }
    }

    func withIdempotencyStore(
        _ body: (_ store: any IdempotencyStore, _ time: ManualTimeSource) async throws -> Void
    ) async throws {
        let time = ManualTimeSource()
        switch self {
        case .memory: try await body(MemoryIdempotencyStore(time: time), time)
        case .redis:
            let server = try await RedisServer()
            try await body(RedisIdempotencyStore(try connection(server.url), time: time), time)
        case .cluster:
            let cluster = try await RedisCluster()
            try await body(RedisIdempotencyStore(try connection(cluster.url), time: time), time)
        }
    }

    private func connection(_ url: String) throws -> StoreConnection {
        StoreConnection(
            RedisClient(
                try RedisConfiguration(url: url), log: Log(service: "test", level: .error), metrics: Metrics()))
    }
}
