import PushModel
import ServiceKit
import Store

/// What the ledger knows of a task as a whole.
struct MemoryLedgerTask {
    var plan: TaskPlan?
    /// Whom it means, from its beginning until its job is resolved.
    var meaning: [UInt8]?
    var isCancelled = false
    var resolved: Set<Int> = []
    /// Segments that may still have open devices.
    var open: Set<SegmentNumber> = []
    /// Final counts of closed segments.
    var sums: [SegmentNumber: StateCounts] = [:]
    var closed: Timestamp?
    /// Its ledger was lost and is being written anew.
    var isRestoring = false
    /// Of a task that was restored after it had been closed.
    var totals: StateCounts?

    /// The plan, once the segment is entered; nil where no device may be marked.
    mutating func enter(_ segment: SegmentID) -> TaskPlan? {
        guard let plan, plan.app == segment.app, closed == nil, !isRestoring else { return nil }
        // Every mark of a resolved job is made. To enter a segment now could only be to make them a second time, in
        // one that is closed and whose ledger may be gone.
        guard resolved.count < plan.jobs || open.contains(segment.number) else { return nil }
        open.insert(segment.number)
        return plan
    }

    mutating func resolve(_ job: Int, of jobs: Int) {
        resolved.insert(job)
        if resolved.count == jobs { meaning = nil }
    }

    mutating func close(_ segment: SegmentNumber, with counts: StateCounts) {
        open.remove(segment)
        sums[segment] = counts
    }

    /// True the one time the task closes.
    mutating func closeIfDone(at now: Timestamp) -> Bool {
        guard let plan, closed == nil, !isRestoring, open.isEmpty, resolved.count == plan.jobs else { return false }
        closed = now
        return true
    }
}
