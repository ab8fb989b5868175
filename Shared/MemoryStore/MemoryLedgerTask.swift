import PushModel
import ServiceKit
import Store

/// The ledger's state of a task as a whole.
struct MemoryLedgerTask {
    var plan: TaskPlan?
    /// The task's devices, from its beginning until its job is resolved.
    var devices: [UInt8]?
    var isCancelled = false
    var resolved: Set<Int> = []
    var unmatched = 0
    /// Segments that may still have open devices.
    var open: Set<SegmentNumber> = []
    /// Final counts of closed segments.
    var sums: [SegmentNumber: StateCounts] = [:]
    /// The devices of closed segments that settlements ended.
    var providers: [PushProtocol: OutcomeCounts] = [:]
    var reasons = ReasonCounts()
    var closed: Timestamp?
    /// True while its lost ledger is being restored.
    var isRestoring = false
    /// Set for a task that was restored after closing.
    var totals: StateCounts?

    /// The plan, once the segment is entered; nil if no device may be marked.
    mutating func enter(_ segment: SegmentID) -> TaskPlan? {
        guard let plan, plan.app == segment.app, closed == nil, !isRestoring else { return nil }
        // All marks of a resolved job are made. Entering a segment now could only repeat them, in a segment that is
        // closed and whose ledger may have expired.
        guard resolved.count < plan.jobs || open.contains(segment.number) else { return nil }
        open.insert(segment.number)
        return plan
    }

    mutating func resolve(_ job: Int, of jobs: Int, unmatched count: Int) {
        if resolved.insert(job).inserted { unmatched += count }
        if resolved.count == jobs { devices = nil }
    }

    /// A segment that was closed before is not added again.
    mutating func close(_ number: SegmentNumber, with counts: StateCounts, of segment: MemoryLedgerSegment?) {
        open.remove(number)
        guard sums.updateValue(counts, forKey: number) == nil, let segment else { return }
        for (provider, counts) in segment.providers { providers[provider, default: OutcomeCounts()].add(counts) }
        reasons.add(segment.reasons)
    }

    /// True only for the call that closes the task.
    mutating func closeIfDone(at now: Timestamp) -> Bool {
        guard let plan, closed == nil, !isRestoring, open.isEmpty, resolved.count == plan.jobs else { return false }
        closed = now
        return true
    }
}
