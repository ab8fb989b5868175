import PushModel
import RedisClient
import ServiceKit
import Store

/// State of a whole task, read in one step.
struct RedisLedgerView {
    let plan: TaskPlan
    let jobsResolved: Int
    let isCancelled: Bool
    let closed: Timestamp?
    /// Counts of all closed segments.
    let counts: StateCounts
    /// The same by provider, as far as senders ended them.
    let providers: [PushProtocol: OutcomeCounts]
    /// Why devices of closed segments were not delivered.
    let reasons: ReasonCounts
    /// Entries of the task's list that name no device.
    let unmatched: Int
    /// Segments that are not closed.
    let open: Set<SegmentNumber>

    init?(_ parts: [RedisValue]) {
        guard parts.count == 10, let plan = parts[0].bytes.flatMap(RedisLedgerEncoding.plan(packed:)),
            let resolved = parts[1].integer, let totals = parts[4].bytes, let open = parts[5].array,
            let sums = parts[6].array,
            let providers = parts[7].bytes.flatMap(RedisLedgerEncoding.providers),
            let unmatched = parts[8].integer,
            let reasons = parts[9].bytes.flatMap(RedisLedgerEncoding.reasons)
        else { return nil }
        self.plan = plan
        jobsResolved = Int(resolved)
        self.providers = providers
        self.unmatched = Int(unmatched)
        self.reasons = reasons
        isCancelled = parts[2] == .integer(1)
        closed = parts[3].integer.map { Timestamp(milliseconds: $0) }
        self.open = Set(open.compactMap(RedisLedgerView.segment))
        if closed != nil {
            guard let counts = RedisLedgerEncoding.counts(totals[...], UInt32.self) else { return nil }
            self.counts = counts
        } else {
            var counts = StateCounts()
            for sum in stride(from: 1, to: sums.count, by: 2).map({ sums[$0] }) {
                guard let sum = sum.bytes.flatMap({ RedisLedgerEncoding.counts($0[...], UInt16.self) }) else {
                    return nil
                }
                counts.add(sum)
            }
            self.counts = counts
        }
    }

    func progress(with openCounts: StateCounts) -> TaskProgress {
        var sum = counts
        sum.add(openCounts)
        return TaskProgress(
            plan: plan, jobsResolved: jobsResolved, isCancelled: isCancelled, counts: sum, providers: providers,
            reasons: reasons, unmatched: unmatched, open: open.sorted(), closed: closed)
    }

    private static func segment(_ value: RedisValue) -> SegmentNumber? {
        value.integer.flatMap { UInt32(exactly: $0) }.map { SegmentNumber(rawValue: $0) }
    }
}
