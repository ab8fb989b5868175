import Bus
import ServiceKit
import Store
import TaskKit

/// The parts that take scheduled tasks in and release them, wired together.
struct ScheduledTaskParts: Sendable {
    let intake: ScheduleIntake
    let releasers: [EntryReleaser]

    init(
        archive: any TaskArchive, index: any RetryIndex, isRegistryReady: @escaping @Sendable () async throws -> Bool,
        producer: any BusProducer, hasLog: Bool, lease: Duration, environment: WorkerEnvironment
    ) {
        let release = TaskRelease(
            archive: archive, index: index, producer: producer, isRegistryReady: isRegistryReady, hasLog: hasLog,
            log: environment.log)
        let wakeups = Dictionary(uniqueKeysWithValues: RetryShard.tasks.map { ($0, EntryWakeup()) })
        intake = ScheduleIntake(
            archive: archive, schedule: TaskSchedule(archive: archive, index: index), wakeups: wakeups)
        releasers = RetryShard.tasks.compactMap { shard in
            wakeups[shard].map { wakeup in
                EntryReleaser(
                    shard, index: index, release: release, wakeup: wakeup, lease: lease, environment: environment)
            }
        }
    }
}
