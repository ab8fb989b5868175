package import Bus
package import PushModel
import ServiceKit
package import Store
package import TaskModel
import Topics

/// Cancels a task: devices that are not being sent to end as cancelled.
package struct TaskCancellation: Sendable {
    /// Bounded because the publisher waits for the answer. The reporter ends the remaining segments of a larger task.
    private static let segmentsMaximum = 512
    /// Time limit for reporting cancelled devices here; the reporter reports the rest.
    private static let reportingMaximum = Duration.seconds(5)

    private let ledger: any Ledger
    private let producer: any BusProducer
    private let agenda: any TaskAgenda
    private let results: UntriedResults
    /// False while the store is rebuilt, or needs to be.
    private let isRegistryReady: @Sendable () async throws -> Bool
    private let time: any TimeSource
    private let log: Log

    package init(
        ledger: any Ledger, agenda: any TaskAgenda, producer: any BusProducer, reader: any RegistryReader,
        isRegistryReady: @escaping @Sendable () async throws -> Bool, environment: WorkerEnvironment
    ) {
        self.ledger = ledger
        self.producer = producer
        self.agenda = agenda
        results = UntriedResults(registry: reader, ledger: ledger, producer: producer, time: environment.time)
        self.isRegistryReady = isRegistryReady
        time = environment.time
        log = environment.log
    }

    /// The first step cancels the task: devices marked or claimed after it end as cancelled. A task that still waits
    /// for its time is then released without its audience, so that it is reported.
    ///
    /// A rebuild would remove the cancel together with the older ledger, and send the task.
    package func cancel(_ task: PushTask) async throws {
        guard try await isRegistryReady() else {
            throw StoreError(.notReady, message: "the registry is not ready; nothing is cancelled")
        }
        try await cancelDevices(of: task.id, app: task.app, segmentsMaximum: TaskCancellation.segmentsMaximum)
        guard task.sendAt != nil, try await ledger.progress(of: task.id) == nil else { return }
        try await producer.send([Topics.schedules.message(.task(task.withdrawn), key: Topics.key(task.id))])
    }

    /// Without a limit no device of the task is claimed from then on.
    package func cancelDevices(of task: TaskID, app: AppID, segmentsMaximum: Int = .max) async throws {
        let end = time.uptime + TaskCancellation.reportingMaximum
        var isReporting = true
        var cancelled: Set<SegmentID> = []
        // The first round cancels the task. A segment that was entered meanwhile is found by the second one; a later
        // one is cancelled by its first mark.
        for _ in 0..<2 {
            let open = try await ledger.openSegments(of: task)
            if open.isEmpty, cancelled.isEmpty {
                _ = try await ledger.cancel(task, in: SegmentID(app, number: SegmentNumber(rawValue: 0)))
            }
            for segment in open.prefix(segmentsMaximum) where !cancelled.contains(segment) {
                cancelled.insert(segment)
                let ended = try await ledger.cancel(task, in: segment)
                guard isReporting, !ended.isEmpty else { continue }
                isReporting = await report(ended, of: task, in: segment) && time.uptime < end
            }
        }
        // The reporter ends devices that senders still hold, and closes the task.
        try await agenda.postpone(task, until: time.now)
    }

    /// False if the devices cannot be reported now.
    private func report(_ ended: SegmentSet, of task: TaskID, in segment: SegmentID) async -> Bool {
        do {
            try await results.report([.cancelled: ended], of: task, in: segment)
            return true
        } catch {
            log.warning(
                "reporting of cancelled devices postponed",
                [.task: "\(task)", .segment: "\(segment)", .count: "\(ended.count)", .error: "\(error)"])
            return false
        }
    }
}
