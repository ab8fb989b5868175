import Bus
import RedisClient
import RedisStore
import ServiceHost
import Store

/// The stores over one Redis client.
struct ResolverStores: Sendable {
    let registry: any Registry & RegistryReader & RegistryMaintenance & TopicStatistics & Activities
    let ledger: any Ledger
    let archive: any TaskArchive
    let agenda: any TaskAgenda
    let outages: any ProviderOutages
    let retries: any RetryIndex
    let pacing: any PushPacing
}

extension ResolverStores {
    init(_ redis: RedisClient, context: ServiceContext) async throws {
        let connection = StoreConnection(redis)
        registry = try await context.followRegistry(connection)
        ledger = RedisLedger(connection)
        archive = RedisTaskArchive(connection, time: context.environment.time)
        agenda = RedisTaskAgenda(connection)
        outages = RedisProviderOutages(connection)
        retries = RedisRetryIndex(connection)
        pacing = RedisPushPacing(connection)
    }
}
