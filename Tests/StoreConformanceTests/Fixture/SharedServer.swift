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
    static let single = SharedServer { try await RedisServer(.forStores) }
    static let cluster = SharedServer { try await RedisCluster() }
}
