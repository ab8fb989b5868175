import PushModel
import ServiceKit
import Topics

/// A share of all tasks, which bounds the number of tasks that a recovery holds in memory.
struct RecoverySlice: Sendable {
    private static let countMaximum: UInt64 = 1 << 16

    static let all = RecoverySlice(number: 0, count: 1)

    private let number: UInt64
    private let count: UInt64

    /// Nil at the smallest share.
    var halves: [RecoverySlice]? {
        guard count < RecoverySlice.countMaximum else { return nil }
        return [number, number + count].map { RecoverySlice(number: $0, count: 2 * count) }
    }

    func contains(_ task: TaskID) -> Bool { task.low % count == number }
}

/// The tasks of one slice: those with a report or a ledger, which need no recovery, and those that are lost.
struct RecoveryBook {
    /// The slice has more tasks than the book may hold.
    struct CapacityError: Error, CustomStringConvertible {
        let description = "too many tasks on the bus to recover: the limit of entries is reached"
    }

    /// Tasks, and segments of lost tasks; about 100 MB.
    static let entriesMaximum = 1 << 20

    let slice: RecoverySlice
    private let entriesMaximum: Int
    private(set) var lost: [TaskID: LostTask] = [:]
    private var done: Set<TaskID> = []
    private var givenUp: Set<TaskID> = []
    /// Reported tasks whose request may be repeated, and the time at which their restored data expires.
    private(set) var repeatable: [TaskID: Timestamp] = [:]
    private var segmentCount = 0

    init(_ slice: RecoverySlice, entriesMaximum: Int = RecoveryBook.entriesMaximum) {
        self.slice = slice
        self.entriesMaximum = entriesMaximum
    }

    /// True if the task belongs to the slice and is not known to have a report or a ledger.
    func isOpen(_ task: TaskID) -> Bool { slice.contains(task) && !done.contains(task) }

    /// Notes that the task has a report or a ledger.
    mutating func close(_ task: TaskID) throws(CapacityError) {
        guard slice.contains(task) else { return }
        lost[task] = nil
        done.insert(task)
        try checkRoom()
    }

    mutating func keep(_ task: TaskID, until end: Timestamp) throws(CapacityError) {
        repeatable[task] = end
        try checkRoom()
    }

    mutating func giveUp(_ task: TaskID) throws(CapacityError) {
        guard isOpen(task) else { return }
        givenUp.insert(task)
        try checkRoom()
    }

    mutating func lose(_ task: TaskID, as loss: LostTask) throws(CapacityError) {
        lost[task] = loss
        lost[task]?.isGivenUp = givenUp.contains(task)
        try checkRoom()
    }

    mutating func begin(_ task: TaskID) {
        lost[task]?.isBegun = true
    }

    mutating func note(_ lane: Lane, of task: TaskID) {
        lost[task]?.lane = lane
    }

    mutating func note(_ job: SegmentJob) throws(CapacityError) {
        segmentCount += lost[job.task]?.note(job) ?? 0
        try checkRoom()
    }

    private func checkRoom() throws(CapacityError) {
        let entries = lost.count + done.count + givenUp.count + repeatable.count + segmentCount
        guard entries <= entriesMaximum else { throw CapacityError() }
    }
}
