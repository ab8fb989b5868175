import Bus
import Store
import TaskKit
import Topics

/// The handlers of the resolver, wired together.
struct ResolverParts: Sendable {
    let tasks: TaskHandler
    let lists: ListHandler
    let jobs: SegmentJobHandler

    /// `events` is the producer of what listeners are shown.
    init(
        tasks: ResolverStores, jobs: ResolverStores, judges: any DeviceJudges, events: any BusProducer, window: Int,
        environment: WorkerEnvironment
    ) {
        let meters = ResolverMeters(environment.metrics)
        let inputs = ResolutionInputCache(archive: jobs.archive)
        let view = OutageView(jobs.outages, time: environment.time)
        self.tasks = TaskHandler(
            archive: tasks.archive, ledger: tasks.ledger, agenda: tasks.agenda,
            sizer: AudienceSizer(search: DeviceSearch(registry: tasks.registry), archive: tasks.archive),
            inputs: inputs,
            marking: JobMarking(tasks, judges: judges, meters: meters, environment: environment),
            completion: JobCompletion(tasks, view: view, meters: meters),
            counting: PublicationCounting(topics: tasks.registry, ledger: tasks.ledger, archive: tasks.archive),
            events: EventPublisher(events, ledger: tasks.ledger, environment: environment),
            activities: ActivityRelease(
                book: ActivityBook(tasks.registry, time: environment.time), ledger: tasks.ledger,
                archive: tasks.archive),
            window: window, meters: meters)
        lists = ListHandler(archive: jobs.archive)
        self.jobs = SegmentJobHandler(
            archive: jobs.archive, ledger: jobs.ledger, registry: jobs.registry,
            search: DeviceSearch(registry: jobs.registry), inputs: inputs,
            marking: JobMarking(jobs, judges: judges, meters: meters, environment: environment),
            completion: JobCompletion(jobs, view: view, meters: meters), meters: meters)
    }

    /// The order of parts does not matter.
    static func lists(group: String) -> ConsumerOptions {
        ConsumerOptions(channel: Topics.lists.channel, group: group, order: .none)
    }

    /// Jobs are alike and large, and a waiting job must not delay others.
    static func jobs(group: String) -> ConsumerOptions {
        ConsumerOptions(channel: Topics.segments.channel(.bulk), group: group, order: .none, batchMessagesMaximum: 1)
    }
}

extension JobMarking {
    fileprivate init(
        _ stores: ResolverStores, judges: any DeviceJudges, meters: ResolverMeters, environment: WorkerEnvironment
    ) {
        self.init(
            archive: stores.archive, ledger: stores.ledger, search: DeviceSearch(registry: stores.registry),
            removed: RemovedTargets(ledger: stores.ledger, random: environment.random, log: environment.log),
            judges: judges, pacing: DevicePacing(stores.pacing),
            endings: DeviceEndings(
                ledger: stores.ledger, random: environment.random, log: environment.log,
                ended: meters.devicesSuppressed, unledgered: meters.devicesUnledgered),
            time: environment.time, log: environment.log, meters: meters)
    }
}

extension JobCompletion {
    fileprivate init(_ stores: ResolverStores, view: OutageView, meters: ResolverMeters) {
        self.init(
            archive: stores.archive, ledger: stores.ledger,
            parking: JobParking(view: view, index: stores.retries, parked: meters.jobsParked), meters: meters)
    }
}
