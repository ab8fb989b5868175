import Bus
import ServiceKit
import Store
import TaskKit

/// The parts that take scheduled tasks in and release them, wired together.
struct ScheduledTaskParts: Sendable {
    let intake: ScheduleIntake
    let releasers: [EntryReleaser]
    let sweep: SwapSweep

    init(
        _ stores: TaskReplacement.Stores, agenda: any TaskAgenda, reader: any RegistryReader, index: any RetryIndex,
        moments: any UserMoments, opens: any UserOpens,
        isRegistryReady: @escaping @Sendable () async throws -> Bool,
        producer: any BusProducer, hasLog: Bool, lease: Duration, environment: WorkerEnvironment
    ) {
        let schedule = TaskSchedule(
            archive: stores.archive, index: index, moments: moments,
            hours: LearntHours(opens, metrics: environment.metrics))
        let release = TaskRelease(
            archive: stores.archive, replacements: stores.replacements, producer: producer,
            cleanup: ReleaseCleanup(schedule, index: index, producer: producer, hasLog: hasLog),
            isRegistryReady: isRegistryReady, hasLog: hasLog, log: environment.log)
        let wakeups = Dictionary(uniqueKeysWithValues: RetryShard.tasks.map { ($0, EntryWakeup()) })
        intake = ScheduleIntake(
            archive: stores.archive, schedule: schedule, wakeups: wakeups)
        sweep = SwapSweep(
            stores.replacements,
            replacement: TaskReplacement(
                stores, producer: producer,
                cancellation: TaskCancellation(
                    ledger: stores.ledger, agenda: agenda, producer: producer, reader: reader,
                    isRegistryReady: isRegistryReady, environment: environment),
                environment: environment),
            isRegistryReady: isRegistryReady, lease: lease, environment: environment)
        releasers = RetryShard.tasks.compactMap { shard in
            wakeups[shard].map { wakeup in
                EntryReleaser(
                    shard, index: index, release: release, wakeup: wakeup, lease: lease, environment: environment)
            }
        }
    }
}
