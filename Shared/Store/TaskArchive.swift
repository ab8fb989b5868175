package import PushModel
package import ServiceKit

/// What was accepted, kept beside the ledger for as long as somebody may ask for it: contents, the segments a task
/// visits, its report. It keeps bytes and does not look into them.
package protocol TaskArchive: Sendable {
    /// Before the task is on the bus. A task that is there already stays as it is. Enters the task in its app's list.
    func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError)
    func content(of task: TaskID) async throws(StoreError) -> [UInt8]?

    /// A part of a long list; it goes by itself when its task never comes.
    func keep(_ part: [UInt8], number: Int, of task: TaskID) async throws(StoreError)
    func part(_ number: Int, of task: TaskID) async throws(StoreError) -> [UInt8]?

    /// The segments that a task visits, decided once; those that hold.
    func decide(segments: [SegmentNumber], of task: TaskID) async throws(StoreError) -> [SegmentNumber]

    /// Whom a job of a task for many means, decided once; those that hold. A job that is done again then marks and sends
    /// on exactly what it did before, whatever has changed since.
    func decide(devices: [UInt8], job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]
    func devices(job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]?
    /// The job is resolved: nobody asks any more.
    func dropDevices(job: Int, of task: TaskID) async throws(StoreError)

    /// Nobody will send the task as it is; why not. Told only of a task that has no plan: it may be planned after all.
    func giveUp(_ task: TaskID, reason: String) async throws(StoreError)
    func reasonGivenUp(_ task: TaskID) async throws(StoreError) -> String?

    /// The report of a closed task, fixed once; the one that holds.
    func fix(report: [UInt8], of task: TaskID) async throws(StoreError) -> [UInt8]
    func report(of task: TaskID) async throws(StoreError) -> [UInt8]?
    /// Notes how far the report has got, which never goes back.
    func advance(reportOf task: TaskID, to stage: ReportStage) async throws(StoreError)
    func reportStage(of task: TaskID) async throws(StoreError) -> ReportStage
    /// Whether the report of the task was ever fixed: the task is done, and must not be planned again. This outlives
    /// everything else that `forget` removes, for an hour as a ledger does, for a day with a derived id.
    func isReported(_ task: TaskID) async throws(StoreError) -> Bool

    /// The task was not accepted after all: its content goes at once. What resolvers have decided about it stays.
    func withdraw(_ task: TaskID) async throws(StoreError)

    /// The task is closed: what is kept of it goes after this time. With a time of zero nothing is left.
    func forget(_ task: TaskID, after: Duration) async throws(StoreError)

    /// The newest first; those before the entry, when there is one.
    func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID]
}

/// Where the report of a closed task has been taken. The raw value stands in the store and must not change.
package enum ReportStage: Int, Sendable {
    case fixed = 0
    /// It is on the bus.
    case published = 1
    /// Whoever wanted to hear of it has, or was given up, or there is nobody.
    case settled = 2
}

/// A task in the list of its app's tasks.
package struct TaskEntry: Sendable, Hashable {
    /// What the list is ordered by.
    package struct ID: Sendable, Hashable {
        package let created: Timestamp
        package let task: TaskID

        package init(created: Timestamp, task: TaskID) {
            self.created = created
            self.task = task
        }

        /// Tasks of one millisecond stand by their ids.
        package func isBefore(_ other: ID) -> Bool {
            created == other.created
                ? task.bytes.lexicographicallyPrecedes(other.task.bytes) : created < other.created
        }
    }

    package let app: AppID
    package let created: Timestamp
    package let deadline: Timestamp

    package init(app: AppID, created: Timestamp, deadline: Timestamp) {
        self.app = app
        self.created = created
        self.deadline = deadline
    }
}

package enum TaskArchiveBounds {
    /// How long what was accepted outlives its deadline, should nobody ever close the task.
    package static let retention = Duration.seconds(8 * 86_400)
    /// How long the parts of a list wait for their task.
    package static let partRetention = Duration.seconds(86_400)
    /// How long it is known whom a job means, should nobody ever resolve it.
    package static let devicesRetention = Duration.seconds(8 * 86_400)
    /// From this age on a task without a ledger may be done and forgotten. Less than the hour for which a done task keeps its
    /// ledger, since clocks differ.
    package static let forgettingAge = Duration.seconds(1_800)
    /// How long content and report of a task for few outlive its end, where its trace says the same afterwards.
    package static let tracedRetention = Duration.seconds(600)
    /// How long a finished task with a derived id is known as done. An idempotency key is older than the end of its task,
    /// so no repeat can come later.
    private static let doneRetention = IdempotencyBounds.retention + .seconds(3_600)
    /// How long a finished task is known as done: for as long as its ledger is there at the least.
    package static func proofRetention(of task: TaskID) -> Duration {
        task.isDerived ? doneRetention : TaskPlan.retention(isFast: true)
    }
    /// Of one app's list; the oldest go first.
    package static let listedMaximum = 10_000
}
