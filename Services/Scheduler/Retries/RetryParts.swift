import Bus
import ServiceKit
import Store
import TaskKit
import Topics

/// The parts that take retries in and release them, wired together.
struct RetryParts: Sendable {
    let releasers: [EntryReleaser]
    private let index: any RetryIndex
    private let wakeups: [RetryShard: EntryWakeup]

    init(
        index: any RetryIndex, registry: any RegistryReader,
        isRegistryReady: @escaping @Sendable () async throws -> Bool, ledger: any Ledger,
        outages: any ProviderOutages, judges: any DeviceJudges, pacing: any PushPacing,
        archive: any TaskArchive, producer: any BusProducer,
        lease: Duration, jobRestMaximum: Duration = EntryReleaser.jobRestMaximum, environment: WorkerEnvironment
    ) {
        let release = RetryRelease(
            registry: registry, isRegistryReady: isRegistryReady, ledger: ledger, index: index, producer: producer,
            judges: judges, pacing: DevicePacing(pacing), rules: ArchivedRules(archive),
            suppression: SuppressedDevices(ledger: ledger, environment: environment),
            hold: OutageHold(view: OutageView(outages, time: environment.time), random: environment.random),
            log: environment.log)
        let wakeups = Dictionary(uniqueKeysWithValues: RetryShard.retries.map { ($0, EntryWakeup()) })
        self.index = index
        self.wakeups = wakeups
        releasers = RetryShard.retries.compactMap { shard in
            wakeups[shard].map { wakeup in
                EntryReleaser(
                    shard, index: index, release: release, wakeup: wakeup, lease: lease,
                    restMaximum: shard.kind == .bulk ? jobRestMaximum : EntryReleaser.restMaximum,
                    environment: environment)
            }
        }
    }

    func intake(_ lane: Lane) -> RetryIntake {
        RetryIntake(isFast: lane == .fast, index: index, wakeups: wakeups)
    }
}
