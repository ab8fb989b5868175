import Apps
import Bus
import HTTPClient
import RedisClient
import RedisStore
import RegistryLog
import ServiceHost
import ServiceKit
import Store
import TaskKit
import Topics

extension Reporter {
    static let group = "reporter"

    static func build(
        _ context: ServiceContext, configuration: ReporterConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let apps = await context.openApps(configuration.apps)
        let redis = context.makeRedisClient()
        let store = StoreConnection(redis)
        let (registry, journal) = try await openRegistry(store, context: context)
        let producer = try await context.untilReachable { try await context.bus.makeProducer(ProducerOptions()) }
        let client = HTTPClient(
            configuration: configuration.webhook, log: environment.log, metrics: environment.metrics,
            time: environment.time)
        let witness = context.openWitness(redis)
        let stores = TaskStores(
            ledger: RedisLedger(store), archive: RedisTaskArchive(store, time: environment.time),
            agenda: RedisTaskAgenda(store), traces: RedisTaskTraces(store, time: environment.time),
            statistics: RedisTaskStatistics(
                store, time: environment.time, dayRetention: configuration.statisticsRetention),
            deviceTasks: RedisDeviceTasks(store, time: environment.time),
            witness: witness, outbox: RedisStateOutbox(store))
        let parts = ReporterParts(
            stores: stores, opens: RedisUserOpens(store), registry: registry, producer: producer, client: client,
            app: { apps.current.app($0) }, configuration: configuration, environment: environment)
        // Stopped in reverse: first no more results are consumed, then the checks and posts in progress are finished.
        let connections = SharedResources {
            await client.close(within: .seconds(1))
            await producer.close()
            await redis.close()
        }
        let taskReceipts = RedisTaskReceipts(store, sumRetention: configuration.statisticsRetention)
        let places = ReceiptPlaces(receipts: taskReceipts, archive: stores.archive, traces: stores.traces)
        return [connections, apps, context.watch(witness, over: registry)] + journal + [
            parts.sweeper, parts.stateSender, context.worker(webhooks, concurrency: 1, handler: parts.replayedPosts),
            context.worker(
                receipts,
                handler: ReceiptHandler(
                    taskReceipts, places: places, states: parts.recorder, learner: parts.learner,
                    metrics: environment.metrics)),
            context.worker(statuses, handler: StatusHandler(recorder: parts.recorder)),
            context.worker(results, handler: parts.handler),
        ]
    }

    /// The order of results does not matter.
    static let results = ConsumerOptions(channel: Topics.results.channel, group: group, order: .none)

    /// Neither does that of receipts.
    static let receipts = ConsumerOptions(channel: Topics.receipts.channel, group: group, order: .none)

    /// That of the transitions of a device does.
    static let statuses = ConsumerOptions(channel: Topics.statuses.channel, group: group)

    private static let webhooks = ConsumerOptions(
        channel: Topics.webhooks.channel, group: group, batchMessagesMaximum: ReplayedPosts.atOnce)

    /// If the registry log is the source of truth, devices are removed through it.
    private static func openRegistry(
        _ store: StoreConnection, context: ServiceContext
    ) async throws -> (RedisRegistry, [any Service]) {
        let registry = try await context.followRegistry(store, meanwhile: "results wait")
        guard context.hasLoggedRegistry else { return (registry, []) }
        let options = LoggedJournal.Options()
        let producer = try await context.untilReachable {
            try await context.bus.makeProducer(ProducerOptions(patience: options.patience))
        }
        let journal = LoggedJournal(
            producer: producer, projection: registry, environment: context.environment, options: options)
        return (registry.writing(through: journal), [journal])
    }
}
