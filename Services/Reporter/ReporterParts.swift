import Apps
import Bus
import HTTPClient
import PushModel
import ServiceKit
import Store

/// The parts that consume results and close tasks, wired together.
struct ReporterParts: Sendable {
    let handler: ResultHandler
    let replayedPosts: ReplayedPosts
    let sweeper: TaskSweeper

    init(
        stores: TaskStores, registry: any Registry & RegistryReader, producer: any BusProducer, client: HTTPClient,
        app: @escaping @Sendable (AppID) -> PushApp?, configuration: ReporterConfiguration,
        environment: WorkerEnvironment
    ) {
        let queue = ReportingQueue(time: environment.time)
        let untried = UntriedDevices(
            ledger: stores.ledger, registry: registry, producer: producer, environment: environment)
        let closer = TaskCloser(
            stores, untried: untried, producer: producer,
            // An unknown app, whose file may be unreadable, may have an endpoint.
            expectsReports: { app($0).map { $0.report != nil } ?? true },
            lease: configuration.lease, traceRetention: configuration.traceRetention, environment: environment)
        let poster = ReportPoster(
            client: client, hold: configuration.webhook.deadline + configuration.lease,
            destination: .untrusted(configuration.policy),
            policy: PostPolicy(patience: configuration.webhookPatience), archive: stores.archive, closer: closer,
            producer: producer, app: app, environment: environment)
        replayedPosts = ReplayedPosts(poster: poster)
        let removal = DeviceRemoval(
            registry: registry,
            failuresMaximum: { (app($0)?.defaults ?? AppDefaults()).failuresBeforeUnregistering },
            metrics: environment.metrics)
        handler = ResultHandler(queue: queue, removal: removal, meters: ResultMeters(environment.metrics))
        sweeper = TaskSweeper(
            queue: queue, agenda: stores.agenda, closer: closer, poster: poster, lease: configuration.lease,
            environment: environment)
    }
}
