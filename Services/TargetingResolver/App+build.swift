import Bus
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit
import Store
import Topics

extension TargetingResolver {
    private static let group = "targeting-resolver"

    static func build(
        _ context: ServiceContext, _ configuration: TargetingResolverConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let redis = context.makeRedisClient()
        let connection = StoreConnection(redis)
        let registry = try await context.followRegistry(connection, meanwhile: "tasks wait")
        let parts = ResolverParts(
            registry: registry, ledger: RedisLedger(connection),
            archive: RedisTaskArchive(connection, time: environment.time), agenda: RedisTaskAgenda(connection),
            window: configuration.window, environment: environment)
        // Stopped in reverse: first nothing more is planned, then the jobs under way are finished.
        return [
            SharedResources { await redis.close() }, context.worker(ResolverParts.jobs(group: group), parts.jobs),
            context.worker(ConsumerOptions(channel: Topics.tasks.channel, group: group), parts.tasks),
        ]
    }
}
