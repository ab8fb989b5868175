import RedisClient
import RedisStore
import ServiceKit
import TestSupport

/// A Redis server or cluster.
protocol StoreServer: AnyObject, Sendable {
    var url: String { get }
}

extension RedisServer: StoreServer {}
extension RedisCluster: StoreServer {}

/// One server for all tests that run concurrently; stopped when the last of them ends. Each test has apps, tasks and
/// keys of its own, so they do not interfere.
actor SharedServer<Server: StoreServer> {
    private let make: @Sendable () async throws -> Server
    private weak var running: Server?
    private var starting: Task<Server, any Error>?

    init(_ make: @escaping @Sendable () async throws -> Server) {
        self.make = make
    }

    func get() async throws -> Server {
        if let running { return running }
        let start = starting ?? Task { [make] in try await make() }
        starting = start
        defer { starting = nil }
        let server = try await start.value
        running = server
        return server
    }
}

enum SharedServers {
    static let single = SharedServer { try await withRegistry(RedisServer(.forStores)) }
    static let cluster = SharedServer { try await withRegistry(RedisCluster()) }

    /// A registry is opened before any other store writes: a Redis that contains data but no registry has lost it.
    private static func withRegistry<Server: StoreServer>(_ server: Server) async throws -> Server {
        let log = Log(service: "test", level: .error)
        let client = RedisClient(try RedisConfiguration(url: server.url), log: log, metrics: Metrics())
        try await withCleanup({ await client.close() }) {
            _ = try await RedisRegistry.open(StoreConnection(client), mode: .authoritative, log: log)
        }
        return server
    }
}
