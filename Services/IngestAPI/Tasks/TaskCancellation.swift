import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Cancels a task: devices that are not being sent to end as cancelled.
struct TaskCancellation: Sendable {
    /// Bounded because the publisher waits for the answer. The reporter ends the remaining segments of a larger task.
    private static let segmentsMaximum = 512
    /// Time limit for reporting cancelled devices here; the reporter reports the rest.
    private static let reportingMaximum = Duration.seconds(5)

    private let ledger: any Ledger
    private let producer: any BusProducer
    private let agenda: any TaskAgenda
    private let results: UntriedResults
    private let time: any TimeSource
    private let log: Log

    init(_ access: TaskAccess, reader: any RegistryReader, environment: WorkerEnvironment) {
        ledger = access.ledger
        producer = access.producer
        agenda = access.agenda
        results = UntriedResults(
            registry: reader, ledger: access.ledger, producer: access.producer, time: environment.time)
        time = environment.time
        log = environment.log
    }

    /// The first step cancels the task: devices marked or claimed after it end as cancelled. A task that still waits for
    /// its time is then released without its audience, so that it is reported.
    func cancel(_ task: PushTask) async throws {
        try await cancelDevices(of: task)
        guard task.sendAt != nil, try await ledger.progress(of: task.id) == nil else { return }
        try await producer.send([Topics.schedules.message(.task(task.withdrawn), key: Topics.key(task.id))])
    }

    private func cancelDevices(of task: PushTask) async throws {
        let open = try await ledger.openSegments(of: task.id)
        let end = time.uptime + TaskCancellation.reportingMaximum
        var isReporting = true
        let first = SegmentID(task.app, number: SegmentNumber(rawValue: 0))
        for segment in open.isEmpty ? [first] : Array(open.prefix(TaskCancellation.segmentsMaximum)) {
            let ended = try await ledger.cancel(task.id, in: segment)
            guard isReporting, !ended.isEmpty else { continue }
            isReporting = await report(ended, of: task, in: segment) && time.uptime < end
        }
        // The reporter ends devices that senders still hold, and closes the task.
        try await agenda.postpone(task.id, until: time.now)
    }

    /// False if the devices cannot be reported now.
    private func report(_ ended: SegmentSet, of task: PushTask, in segment: SegmentID) async -> Bool {
        do {
            try await results.report([.cancelled: ended], of: task.id, in: segment)
            return true
        } catch {
            log.warning(
                "reporting of cancelled devices postponed",
                [.task: "\(task.id)", .segment: "\(segment)", .count: "\(ended.count)", .error: "\(error)"])
            return false
        }
    }
}
