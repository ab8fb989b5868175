package import PushModel
package import ServiceKit

/// Accepted tasks, kept beside the ledger as long as they may be queried: contents, the segments a task visits, its
/// report. It stores bytes without interpreting them.
package protocol TaskArchive: Sendable {
    /// Called before the task is sent to the bus. An existing task stays unchanged. Adds the task to its app's list.
    func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError)
    /// The same for many. After an error some of them may be kept; a repeat keeps the others.
    func keep(_ tasks: [ArchivedTask]) async throws(StoreError)
    func content(of task: TaskID) async throws(StoreError) -> [UInt8]?

    /// The same for a task that is to be sent later. It is on its app's list of scheduled tasks, which has no limit,
    /// until it is released; the entry of an existing task stays unchanged.
    func schedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError)
    /// A task that is to be sent later gets an earlier time, which is part of its content. Its data expires when it did.
    /// Without effect if it has no content any more.
    func reschedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError)
    /// Removes tasks of one app from its list of scheduled tasks.
    func unschedule(_ tasks: [TaskID], of app: AppID) async throws(StoreError)
    /// The next to be sent first; only tasks after the given entry, if any.
    func scheduled(of app: AppID, after: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID]

    /// Stores a part of a long list for this time; it expires if its task never follows.
    func keep(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) async throws(StoreError)
    /// The same for a part with contents, which the devices of the task need until it is closed. All such parts of a
    /// task expire together, at the latest of the times that they were kept for.
    func keepContents(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) async throws(StoreError)
    /// Keeps those parts at least this long. A later one is kept as long.
    func extendContents(of task: TaskID, for life: Duration) async throws(StoreError)
    /// With or without contents.
    func part(_ number: Int, of task: TaskID) async throws(StoreError) -> [UInt8]?

    /// Stores the segments that a task visits, unless already decided; returns the stored ones.
    func decide(segments: [SegmentNumber], of task: TaskID) async throws(StoreError) -> [SegmentNumber]

    /// Stores the devices of a job of a task for many, unless already decided; returns the stored ones. A repeated job
    /// then marks and sends exactly the same devices, whatever has changed since.
    func decide(devices: [UInt8], job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]
    func devices(job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]?
    /// The job is resolved, and its devices are no longer needed.
    func dropDevices(job: Int, of task: TaskID) async throws(StoreError)

    /// The task will not be sent as it is, for this reason. Only for a task without a plan, which may be planned later.
    func giveUp(_ task: TaskID, reason: String) async throws(StoreError)
    func reasonGivenUp(_ task: TaskID) async throws(StoreError) -> String?

    /// Stores the report of a closed task, unless already stored; returns the stored one.
    func fix(report: [UInt8], of task: TaskID) async throws(StoreError) -> [UInt8]
    func report(of task: TaskID) async throws(StoreError) -> [UInt8]?
    /// Records the stage of the report, which never goes back.
    func advance(reportOf task: TaskID, to stage: ReportStage) async throws(StoreError)
    func reportStage(of task: TaskID) async throws(StoreError) -> ReportStage
    /// True if the task's report was ever stored: the task is done, and must not be planned again. Outlives everything
    /// else that `forget` removes: kept for an hour like a ledger, or for a day with a derived id.
    func isReported(_ task: TaskID) async throws(StoreError) -> Bool

    /// The task was not accepted after all: its content is removed immediately. Decisions of resolvers about it stay.
    func withdraw(_ task: TaskID) async throws(StoreError)

    /// The task is closed: its data expires after this time, its parts with contents sooner. With a time of zero nothing
    /// is left but the parts of its list; otherwise that it is done is known for the second time at least.
    func forget(_ task: TaskID, after: Duration, provenFor proof: Duration) async throws(StoreError)
    /// The same for a task whose report is settled, which is recorded first.
    func conclude(_ task: TaskID, after: Duration, provenFor proof: Duration) async throws(StoreError)

    /// The newest first; only tasks before the given entry, if any.
    func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID]
}

extension TaskArchive {
    package func forget(_ task: TaskID, after: Duration) async throws(StoreError) {
        try await forget(task, after: after, provenFor: .zero)
    }

    package func conclude(_ task: TaskID, after: Duration, provenFor proof: Duration) async throws(StoreError) {
        try await advance(reportOf: task, to: .settled)
        try await forget(task, after: after, provenFor: proof)
    }

    package func keep(_ part: [UInt8], number: Int, of task: TaskID) async throws(StoreError) {
        try await keep(part, number: number, of: task, for: TaskArchiveBounds.partRetention)
    }
}

/// Stage of the report of a closed task. The raw value is stored and must not change.
package enum ReportStage: Int, Sendable {
    case fixed = 0
    /// It is on the bus.
    case published = 1
    /// It was delivered to its receiver or abandoned, or it has no receiver.
    case settled = 2
}

/// An accepted task as the archive keeps it.
package struct ArchivedTask: Sendable {
    package let id: TaskID
    package let content: [UInt8]
    package let entry: TaskEntry

    package init(_ id: TaskID, content: [UInt8], entry: TaskEntry) {
        self.id = id
        self.content = content
        self.entry = entry
    }
}

/// A task in the list of its app's tasks.
package struct TaskEntry: Sendable, Hashable {
    /// The sort key of the list.
    package struct ID: Sendable, Hashable {
        package let begins: Timestamp
        package let task: TaskID

        package init(begins: Timestamp, task: TaskID) {
            self.begins = begins
            self.task = task
        }

        /// Tasks of the same millisecond are sorted by their ids.
        package func isBefore(_ other: ID) -> Bool {
            begins == other.begins
                ? task.bytes.lexicographicallyPrecedes(other.task.bytes) : begins < other.begins
        }
    }

    package let app: AppID
    /// When it was accepted, or the later time for which it is scheduled.
    package let begins: Timestamp
    package let deadline: Timestamp

    package init(app: AppID, begins: Timestamp, deadline: Timestamp) {
        self.app = app
        self.begins = begins
        self.deadline = deadline
    }
}

package enum TaskArchiveBounds {
    /// Retention of an accepted task's data after its deadline, if the task is never closed.
    package static let retention = Duration.seconds(8 * 86_400)
    /// Retention of list parts whose task has not arrived, or has not begun to be resolved when it should have.
    package static let partRetention = Duration.seconds(86_400)
    /// Maximum retention of the parts with contents of a closed task, which sends nothing more.
    package static let contentsRetention = Duration.seconds(600)
    /// Retention of a job's devices, if the job is never resolved.
    package static let devicesRetention = Duration.seconds(8 * 86_400)
    /// From this age on a task without a ledger may be done and expired. Less than the hour for which a done task keeps
    /// its ledger, since clocks differ.
    package static let forgettingAge = Duration.seconds(1_800)
    /// Retention of content and report of a closed task for few, whose trace holds the same data afterwards.
    package static let tracedRetention = Duration.seconds(600)
    /// How long a finished task with a derived id is known as done. An idempotency key is older than the end of its
    /// task, so no repeat can come later.
    private static let doneRetention = IdempotencyBounds.retention + .seconds(3_600)
    /// How long a finished task is known as done: at least as long as its ledger exists.
    package static func proofRetention(of task: TaskID) -> Duration {
        task.isDerived ? doneRetention : TaskPlan.retention(isFast: true)
    }
    /// Limit of one app's list; the oldest entries are removed first.
    package static let listedMaximum = 10_000
}
