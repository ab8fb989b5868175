import Apps
import Bus
import HTTPClient
import LocalTime
import PushModel
import ServiceKit
import Store
import TaskModel

/// The parts that consume results and close tasks, wired together.
struct ReporterParts: Sendable {
    /// Between looks at the agenda and at the outbox, which other reporters share.
    static let interval = Duration.seconds(1)

    let handler: ResultHandler
    let replayedPosts: ReplayedPosts
    let sweeper: TaskSweeper
    let recorder: StateRecorder
    let learner: OpenLearner
    let stateSender: StateSender

    init(
        stores: TaskStores, opens: any UserOpens,
        registry: any Registry & RegistryReader & Activities & ActivityChannels, producer: any BusProducer,
        client: any EndpointClient, secrets: any EndpointSecretReader = EndpointSecretFileReader(),
        app: @escaping @Sendable (AppID) -> PushApp?, configuration: ReporterConfiguration,
        interval: Duration = ReporterParts.interval, environment: WorkerEnvironment
    ) {
        let queue = ReportingQueue(time: environment.time)
        let wakeup = StateWakeup()
        let stateMeters = StateMeters(environment.metrics)
        // An unknown app, whose file may be unreadable, may have a webhook.
        // Tokens of Live Activities are no devices, and their states no messages to users.
        let hasWebhook: @Sendable (AppID) -> Bool = { id in
            !id.isSpace && app(id).map { $0.webhook != nil } ?? true
        }
        let recorder = StateRecorder(
            messages: TrackedMessages(archive: stores.archive, outbox: stores.outbox), outbox: stores.outbox,
            registry: registry, hasWebhook: hasWebhook, wakeup: wakeup, meters: stateMeters)
        let learner = OpenLearner(
            opens, registry: registry,
            fallbackZone: { app($0)?.quietHours?.timeZone ?? DeliveryRules.fallbackZone }, environment: environment)
        let untried = UntriedDevices(
            ledger: stores.ledger, registry: registry, producer: producer, environment: environment)
        let closer = TaskCloser(
            stores, untried: untried, producer: producer, states: recorder, learner: learner,
            // An unknown app, whose file may be unreadable, may have an endpoint.
            // Reports of the states of Live Activities are read, not posted: there may be one each second.
            expectsReports: { id in !id.isSpace && app(id).map { $0.report != nil } ?? true },
            lease: configuration.lease, traceRetention: configuration.traceRetention, environment: environment)
        let endpoint = EndpointPoster(
            client: client, secrets: secrets, destination: .untrusted(configuration.policy),
            policy: PostPolicy(patience: configuration.webhookPatience), environment: environment)
        let hold = configuration.webhook.deadline + configuration.lease
        let poster = ReportPoster(
            endpoint: endpoint, hold: hold, archive: stores.archive, closer: closer, producer: producer, app: app,
            environment: environment)
        let statePoster = StatePoster(
            outbox: stores.outbox, endpoint: endpoint, producer: producer, app: app, wakeup: wakeup,
            meters: stateMeters,
            environment: environment)
        replayedPosts = ReplayedPosts(reports: poster, states: statePoster)
        stateSender = StateSender(stores.outbox, poster: statePoster, hold: hold, interval: interval)
        self.recorder = recorder
        self.learner = learner
        let removal = DeviceRemoval(
            registry: registry,
            failuresMaximum: { (app($0)?.defaults ?? AppDefaults()).failuresBeforeUnregistering },
            hasWebhook: hasWebhook, archive: stores.archive, producer: producer, metrics: environment.metrics)
        handler = ResultHandler(
            queue: queue, removal: removal, states: recorder,
            channels: ChannelRegistration(
                registry: registry, archive: stores.archive, producer: producer, time: environment.time),
            meters: ResultMeters(environment.metrics))
        sweeper = TaskSweeper(
            queue: queue, agenda: stores.agenda, closer: closer, poster: poster, lease: configuration.lease,
            interval: interval, environment: environment)
    }
}
