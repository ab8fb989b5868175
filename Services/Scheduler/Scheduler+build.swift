import Bus
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit
import Store
import TaskKit
import Topics

extension Scheduler {
    static let group = "scheduler"

    static func build(
        _ context: ServiceContext, configuration: SchedulerConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let redis = context.makeRedisClient()
        let connection = StoreConnection(redis)
        let registry = try await context.followRegistry(connection, meanwhile: "retries wait")
        let producer = try await context.untilReachable {
            try await context.bus.makeProducer(ProducerOptions(patience: configuration.patience))
        }
        let retries = RetryParts(
            index: RedisRetryIndex(connection), registry: registry,
            isRegistryReady: { try await registry.state() == .ready }, ledger: RedisLedger(connection),
            outages: RedisProviderOutages(connection), judges: TimedJudges(metrics: environment.metrics),
            pacing: RedisPushPacing(connection),
            archive: RedisTaskArchive(connection, time: environment.time), producer: producer,
            lease: configuration.lease,
            environment: environment)
        let tasks = ScheduledTaskParts(
            TaskReplacement.Stores(
                replacements: RedisTaskReplacements(connection),
                archive: RedisTaskArchive(connection, time: environment.time), ledger: RedisLedger(connection)),
            agenda: RedisTaskAgenda(connection), reader: registry, index: RedisRetryIndex(connection),
            moments: RedisUserMoments(connection), opens: RedisUserOpens(connection),
            isRegistryReady: { try await registry.state() == .ready }, producer: producer,
            hasLog: context.hasLoggedRegistry, lease: configuration.lease, environment: environment)
        let connections = SharedResources {
            await producer.close()
            await redis.close()
        }
        // Stopped in reverse: first the intake ends, then the releases in progress are finished.
        let watch = context.watch(context.openWitness(redis), over: registry)
        return [connections, watch] + retries.releasers + tasks.releasers + [tasks.sweep]
            + Lane.allCases.map { lane in
                context.worker(
                    ConsumerOptions(channel: Topics.retries.channel(lane), group: group), handler: retries.intake(lane))
            } + [
                context.worker(
                    ConsumerOptions(channel: Topics.schedules.channel, group: group), carriesSinglePushes: true,
                    handler: tasks.intake)
            ]
    }
}
