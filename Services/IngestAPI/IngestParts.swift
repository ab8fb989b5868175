import Apps
import Bus
import PushModel
import ServiceKit
import Store
import TaskKit

/// What the dialects share, made once from the stores and the bus. Each dialect takes the parts that its routes need.
struct IngestParts {
    let registry: any Registry
    let topics: any TopicStatistics
    let access: TaskAccess
    let limits: RequestLimits
    let environment: WorkerEnvironment
    let reading = BodyReading()
    let log: RefusalLog
    let cancellation: TaskCancellation
    let submission: TaskSubmission
    private let idempotencyLease: Duration
    let registration: DeviceRegistration
    private let classes: DeviceClasses
    private let saved: AudienceBook
    private let counting: AudienceCount
    private let book: TaskBook
    private let deadLetters: DeadLetterBook
    private let outages: OutageView
    private let drops: EventDrops
    private let transfers: any TransferGroups & Transfers
    private let activities: ActivityBook
    private let activityTokens: ActivityTokens
    private let activityDevices: ActivityDevices
    private let moments: MomentRelease
    private let reader: any RegistryReader
    let released: ReleasedTaskQueue
    let live: LiveBoard

    /// With a log, `schedules` keeps a record until its tombstone.
    init(
        _ registry: any Registry, reader: any RegistryReader, audiences: any SavedAudiences,
        topics: any TopicStatistics, transfers: any TransferGroups & Transfers, activities: any Activities,
        access: TaskAccess,
        addresses: DeviceAddressRules = DeviceAddressRules(), limits: RequestLimits, idempotencyLease: Duration,
        hasLog: Bool, isRegistryReady: @escaping @Sendable () async throws -> Bool,
        apps: @escaping @Sendable () -> AppSnapshot,
        environment: WorkerEnvironment
    ) {
        self.registry = registry
        self.topics = topics
        self.transfers = transfers
        self.reader = reader
        self.access = access
        self.limits = limits
        self.environment = environment
        log = RefusalLog(environment.log, time: environment.time)
        drops = EventDrops(metrics: environment.metrics, log: log)
        cancellation = TaskCancellation(
            ledger: access.ledger, agenda: access.agenda, producer: access.producer, reader: reader,
            isRegistryReady: isRegistryReady, environment: environment)
        submission = TaskSubmission(
            access, cancellation: cancellation, reading: reading, idempotencyLease: idempotencyLease,
            environment: environment)
        self.activities = ActivityBook(activities, time: environment.time)
        activityTokens = ActivityTokens(registry: registry, book: self.activities, submission: submission)
        activityDevices = ActivityDevices(
            registry: registry, reader: reader, ledger: access.ledger, book: self.activities)
        self.idempotencyLease = idempotencyLease
        registration = DeviceRegistration(registry, addresses: addresses, environment: environment)
        classes = DeviceClasses(registry: registry, producer: access.producer, time: environment.time)
        saved = AudienceBook(store: audiences)
        counting = AudienceCount(
            registry: registry, reader: reader, turns: CountTurns(environment.metrics), time: environment.time)
        book = TaskBook(
            archive: access.archive, ledger: access.ledger, traces: access.traces, receipts: access.receipts,
            replacements: access.replacements, time: environment.time, log: environment.log)
        deadLetters = DeadLetterBook(bus: access.bus, producer: access.producer, tasks: book)
        outages = OutageView(access.outages, time: environment.time)
        live = LiveBoard(
            LiveReader(
                book: book,
                pipeline: PipelineState(
                    outages: outages, servers: FailingServerView(access.failingServers, time: environment.time),
                    bus: access.bus, room: access.room, time: environment.time)),
            apps: apps, environment: environment)
        released = ReleasedTaskQueue(
            ReleaseCleanup(
                TaskSchedule(archive: access.archive, index: access.index, moments: access.moments),
                index: access.index, producer: access.producer, hasLog: hasLog),
            environment: environment)
        moments = MomentRelease(
            archive: access.archive, replacements: access.replacements, producer: access.producer, queue: released,
            isRegistryReady: isRegistryReady)
    }

    var dialects: [any Dialect] { [pushd, native, richie, appmetrica, contextpush, pushwoosh] }

    /// The service that receives events over UDP, with an access of its own: a request must not queue behind batches.
    func datagrams(
        _ settings: DatagramSettings, access: TaskAccess, apps: @escaping EventGate.AppsQuery
    ) throws -> EventDatagrams {
        let meters = EventMeters(environment.metrics)
        let submission = TaskSubmission(
            access, cancellation: cancellation, reading: reading, idempotencyLease: idempotencyLease,
            environment: environment)
        return try EventDatagrams(
            settings, gate: EventGate(allows: settings.allows, limits: limits, apps: apps),
            acceptance: EventAcceptance(
                submission: submission, purge: { [registry] in _ = try await registry.purge($0, in: $1) }, drops: drops,
                meters: meters, random: environment.random, time: environment.time, log: log),
            meters: meters, time: environment.time)
    }

    private var pushd: PushdDialect {
        PushdDialect(
            registry: registry, topics: topics, devices: registration, classes: classes, submission: submission,
            events: EventRoutes(submission: submission, drops: drops),
            limits: limits, reading: reading, log: log)
    }

    private var native: NativeDialect {
        NativeDialect(
            tasks: TaskRoutes(
                submission: submission, book: book, cancellation: cancellation, counting: counting, audiences: saved,
                reading: reading),
            batches: TaskBatchRoutes(
                submission: BatchSubmission(
                    access, audiences: saved, cancellation: cancellation, reading: reading,
                    idempotencyLease: idempotencyLease, log: log, environment: environment),
                reading: reading, limits: limits),
            activities: ActivityRoutes(
                publishing: publishing, devices: activityDevices, book: activities, audiences: saved, reading: reading),
            activityTokens: ActivityTokenRoutes(
                registry: registry, tokens: activityTokens, access: DeviceAccess(limits: limits), reading: reading),
            audiences: AudienceRoutes(book: saved, counting: counting, reading: reading, room: access.room),
            devices: DeviceRoutes(
                registry: registry, devices: registration, classes: classes, activities: activityTokens,
                access: DeviceAccess(limits: limits), reading: reading, time: environment.time),
            users: users, receipts: ReceiptRoutes(access, reading: reading, environment: environment),
            moments: MomentRoutes(
                access, release: moments, registry: registry, devices: DeviceAccess(limits: limits), classes: classes,
                reading: reading, environment: environment),
            statistics: StatisticsRoutes(
                statistics: access.statistics, receipts: access.receipts, time: environment.time),
            campaigns: CampaignRoutes(
                statistics: access.statistics, receipts: access.receipts, time: environment.time),
            deviceTasks: DeviceTaskRoutes(book: book, tasks: access.deviceTasks, registry: registry),
            tickets: StreamTicketRoutes(reading: reading, time: environment.time),
            topics: TopicRoutes(registry: registry, topics: topics),
            deadLetters: DeadLetterRoutes(book: deadLetters, reading: reading), app: AppRoutes(outages: outages),
            webPushKey: WebPushKeyRoutes(), live: LiveRoutes(board: live, book: book), log: log)
    }

    func activityKeeper(apps: @escaping @Sendable () -> [AppID]) -> ActivityKeeper {
        ActivityKeeper(activitySweep, apps: apps, log: environment.log, time: environment.time)
    }

    var activitySweep: ActivitySweep {
        ActivitySweep(publishing: publishing, registry: registry, reader: reader, time: environment.time)
    }

    private var publishing: ActivityPublishing {
        ActivityPublishing(book: activities, submission: submission, time: environment.time)
    }

    private var users: UserRoutes {
        UserRoutes(
            book: DeviceBook(registry: registry),
            deletion: UserDeletion(
                registry: registry, classes: classes, activities: activityTokens, tasks: access,
                cancellation: cancellation, log: environment.log))
    }

    private var richie: RichieDialect {
        RichieDialect(submission: submission, reading: reading, log: log)
    }

    private var appmetrica: AppMetricaDialect {
        AppMetricaDialect(
            groups: GroupRoutes(
                groups: transfers, reading: reading, room: access.room, random: environment.random),
            transfers: TransferRoutes(
                groups: transfers,
                acceptance: TransferAcceptance(
                    transfers: transfers, submission: submission, reading: reading, time: environment.time,
                    random: environment.random),
                book: TransferBook(transfers: transfers, tasks: book)),
            log: log)
    }

    private var contextpush: ContextPushDialect {
        let messages = ContextPushBook(replacements: access.replacements, archive: access.archive, tasks: book)
        let reading = ContextPushReading(bodies: reading)
        return ContextPushDialect(
            scheduling: ContextPushScheduling(submission: submission, book: messages, reading: reading),
            cancelling: ContextPushCancelling(cancellation: cancellation, book: messages, reading: reading), log: log)
    }

    private var pushwoosh: PushwooshDialect {
        let reading = PushwooshReading(bodies: reading)
        return PushwooshDialect(
            publishing: PushwooshPublishing(activities: publishing, audiences: saved, reading: reading),
            devices: PushwooshDevices(
                registry: registry, registration: registration, classes: classes, tokens: activityTokens,
                reading: reading),
            log: log)
    }
}
