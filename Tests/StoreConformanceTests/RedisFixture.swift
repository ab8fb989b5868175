import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport

/// A redis-server or a cluster of the test's own.
final class RedisFixture: StoreFixture {
    let app: AppID
    let time = ManualTimeSource()
    private let servers: Servers
    private let clients = Monitor<[RedisClient]>([])

    private enum Servers {
        case single(RedisServer)
        case cluster(RedisCluster)
    }

    init(isCluster: Bool) async throws {
        app = try AppID("redis")
        servers = isCluster ? .cluster(try await RedisCluster()) : .single(try await RedisServer(.forStores))
    }

    func client() async throws -> any TestedRegistry {
        try await open()
    }

    func client(journal: any RegistryJournal) async throws -> any TestedRegistry {
        try await open().writing(through: journal)
    }

    func close() async {
        for client in clients.withLock({ $0 }) { await client.close() }
    }

    private func open() async throws -> RedisRegistry {
        let url: String
        switch servers {
        case .single(let server): url = server.url
        case .cluster(let cluster): url = cluster.url
        }
        let log = Log(service: "test", level: .error)
        let client = RedisClient(try RedisConfiguration(url: url), log: log, metrics: Metrics())
        clients.change { $0.append(client) }
        return try await RedisRegistry.open(StoreConnection(client), mode: .authoritative, log: log, time: time)
    }
}
