import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// A redis-server or a cluster of the test's own, and registry clients with separate caches.
final class RegistryFixture: Sendable {
    let servers: [RedisServer]
    let time = ManualTimeSource()
    let redis: RedisClient
    private let url: String
    private let cluster: RedisCluster?

    static let log = Log(service: "test", level: .error)

    init() async throws {
        let server = try await RedisServer(.forStores)
        servers = [server]
        cluster = nil
        url = server.url
        redis = try RegistryFixture.client(url)
    }

    init(cluster: RedisCluster) throws {
        servers = cluster.servers
        self.cluster = cluster
        url = cluster.url
        redis = try RegistryFixture.client(url)
    }

    func registry(
        mode: RedisRegistry.Mode = .authoritative, cutting scissors: Scissors? = nil,
        random: any RandomSource = SystemRandomSource()
    ) async throws -> RedisRegistry {
        let connection = StoreConnection(redis, beforeCommand: scissors?.beforeCommand)
        return try await RedisRegistry.open(
            connection, mode: mode, log: RegistryFixture.log, time: time, random: random)
    }

    func command(_ parts: String...) async throws -> RedisValue {
        try await redis.send(RedisCommand(parts.map { RedisArgument($0) }))
    }

    static func client(_ url: String) throws -> RedisClient {
        RedisClient(try RedisConfiguration(url: url), log: log, metrics: Metrics())
    }
}

extension Scissors {
    /// Interrupts an operation before a command.
    var beforeCommand: StoreConnection.BeforeCommand {
        { [self] in isCut() ? StoreError(.unavailable, message: "interrupted") : nil }
    }
}
