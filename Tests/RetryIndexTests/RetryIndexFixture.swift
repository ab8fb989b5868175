import MemoryStore
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// The stores the suite runs against.
enum RetryIndexDriver: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case redis
    case cluster

    var testDescription: String { rawValue }

    /// Runs a test with an index of its own and a manual clock.
    func withIndex(_ body: (_ index: any RetryIndex, _ time: ManualTimeSource) async throws -> Void) async throws {
        let time = ManualTimeSource()
        switch self {
        case .memory: try await body(MemoryRetryIndex(time: time), time)
        case .redis:
            let server = try await RedisServer()
            try await body(RedisRetryIndex(try connection(server.url), time: time), time)
        case .cluster:
            let cluster = try await RedisCluster()
            try await body(RedisRetryIndex(try connection(cluster.url), time: time), time)
        }
    }

    /// The same for outages.
    func withOutages(_ body: (any ProviderOutages, ManualTimeSource) async throws -> Void) async throws {
        let time = ManualTimeSource()
        switch self {
        case .memory: try await body(MemoryProviderOutages(time: time), time)
        case .redis:
            let server = try await RedisServer()
            try await body(RedisProviderOutages(try connection(server.url), time: time), time)
        case .cluster:
            let cluster = try await RedisCluster()
            try await body(RedisProviderOutages(try connection(cluster.url), time: time), time)
        }
    }

    /// The same for counts of starts.
    func withStarts(_ body: (any MessageStarts) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryMessageStarts(time: ManualTimeSource()))
        case .redis:
            let server = try await RedisServer()
            try await body(RedisMessageStarts(try connection(server.url)))
        case .cluster:
            let cluster = try await RedisCluster()
            try await body(RedisMessageStarts(try connection(cluster.url)))
        }
    }

    private func connection(_ url: String) throws -> StoreConnection {
        StoreConnection(
            RedisClient(
                try RedisConfiguration(url: url), log: Log(service: "test", level: .error), metrics: Metrics()))
    }
}

extension RetryEntry {
    /// Due the given time after the start of the clock.
    init(_ number: UInt32, after pause: Duration, of time: ManualTimeSource) {
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32($0 * 8)) }
        // Zero bytes and line breaks must be preserved.
        self.init(due: time.now + pause, order: [0, 13, 10, 255] + digits)
    }
}
