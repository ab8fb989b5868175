import Bus
import Store
import Topics

/// The handlers of the resolver, made for one another.
struct ResolverParts: Sendable {
    let tasks: TaskHandler
    let jobs: SegmentJobHandler

    init(
        registry: any Registry & RegistryReader & RegistryMaintenance, ledger: any Ledger, archive: any TaskArchive,
        agenda: any TaskAgenda, window: Int, environment: WorkerEnvironment
    ) {
        let meters = ResolverMeters(environment.metrics)
        let search = DeviceSearch(registry: registry)
        let aims = TaskAims(archive: archive)
        let marking = JobMarking(
            archive: archive, ledger: ledger, search: search,
            removed: RemovedTargets(ledger: ledger, random: environment.random, log: environment.log),
            log: environment.log, meters: meters)
        let completion = JobCompletion(archive: archive, ledger: ledger, meters: meters)
        tasks = TaskHandler(
            archive: archive, ledger: ledger, agenda: agenda, scout: TaskScout(search: search, archive: archive),
            aims: aims, marking: marking, completion: completion, window: window, meters: meters)
        jobs = SegmentJobHandler(
            archive: archive, ledger: ledger, registry: registry, search: search, aims: aims, marking: marking,
            completion: completion, meters: meters)
    }

    /// Jobs are alike and large, and one that must wait is not to keep others from their turn.
    static func jobs(group: String) -> ConsumerOptions {
        ConsumerOptions(channel: Topics.segments.channel(.bulk), group: group, order: .none, batchMessagesMaximum: 1)
    }
}
