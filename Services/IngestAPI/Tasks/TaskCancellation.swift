import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// Ends a task before its time: devices that nobody is sending to end as cancelled.
struct TaskCancellation: Sendable {
    /// A publisher waits for the answer. What a larger task has beyond is ended by whoever looks after open tasks.
    private static let segmentsMaximum = 512
    /// How long devices are told of meanwhile; what is not told here is told by whoever looks after open tasks.
    private static let tellingMaximum = Duration.seconds(5)

    private let ledger: any Ledger
    private let agenda: any TaskAgenda
    private let results: UntriedResults
    private let time: any TimeSource
    private let log: Log

    init(_ access: TaskAccess, reader: any RegistryReader, environment: WorkerEnvironment) {
        ledger = access.ledger
        agenda = access.agenda
        results = UntriedResults(
            registry: reader, ledger: access.ledger, producer: access.producer, time: environment.time)
        time = environment.time
        log = environment.log
    }

    /// The first step cancels the task: whatever is marked or claimed after it is ended by that.
    func cancel(_ task: PushTask) async throws {
        let open = try await ledger.openSegments(of: task.id)
        let end = time.uptime + TaskCancellation.tellingMaximum
        var isTelling = true
        let first = SegmentID(task.app, number: SegmentNumber(rawValue: 0))
        for segment in open.isEmpty ? [first] : Array(open.prefix(TaskCancellation.segmentsMaximum)) {
            let ended = try await ledger.cancel(task.id, in: segment)
            guard isTelling, !ended.isEmpty else { continue }
            isTelling = await tell(ended, of: task, in: segment) && time.uptime < end
        }
        // Whoever looks after open tasks ends what senders still hold, and closes the task.
        try await agenda.postpone(task.id, until: time.now)
    }

    /// False when it cannot be told now.
    private func tell(_ ended: SegmentSet, of task: PushTask, in segment: SegmentID) async -> Bool {
        do {
            try await results.tell([.cancelled: ended], of: task.id, in: segment)
            return true
        } catch {
            log.warning(
                "cancelled devices are told of later",
                [.task: "\(task.id)", .segment: "\(segment)", .count: "\(ended.count)", .error: "\(error)"])
            return false
        }
    }
}
