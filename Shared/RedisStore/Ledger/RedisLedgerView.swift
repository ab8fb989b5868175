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

    /// Of a task that is read without a script.
    static let fields: [RedisArgument] = [
        "plan", "resolved", "cancelled", "closed", "totals", "providers", "unmatched", "reasons",
    ]

    /// Segments that were closed while the task was read are in both sets, and not open any more; a closed task has
    /// neither.
    init?(_ fields: [RedisValue], open: RedisValue, sums: RedisValue) {
        guard let segments = open.array, let closed = sums.array else { return nil }
        let isClosed = !fields[3].isNull
        let summed = Set(stride(from: 0, to: closed.count, by: 2).compactMap { closed[$0].bytes })
        let stillOpen = segments.filter { segment in segment.bytes.map { !summed.contains($0) } ?? false }
        func text(_ field: RedisValue, or other: String) -> RedisValue {
            field.isNull ? .bytes(Array(other.utf8)) : field
        }
        self.init([
            fields[0], text(fields[1], or: "0"), .integer(fields[2].isNull ? 0 : 1), text(fields[3], or: ""),
            text(fields[4], or: ""), .array(isClosed ? [] : stillOpen), .array(isClosed ? [] : closed),
            text(fields[5], or: ""), text(fields[6], or: "0"), text(fields[7], or: ""),
        ])
    }

    /// The reply of a script.
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
