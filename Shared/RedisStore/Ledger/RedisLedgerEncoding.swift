import PushModel
import RedisClient
import ServiceKit
import Store

/// Encodes the arguments and decodes the replies of the ledger's scripts; `Scripts/Ledger/ledger.lua` describes the
/// formats.
enum RedisLedgerEncoding {
    /// By version of the ledger, from 1.
    private static let headerBytes = [30, 32]
    static let headerBytesMaximum = 32
    private static let latest = Int64(1) << 48 - 1
    /// A zero byte and a time in milliseconds.
    private static let dueBytes = 7
    /// A zero byte and a provider, after the detail of a ledger's only device.
    private static let providerBytes = 2

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let cancelled = Flags(rawValue: 1)
        static let closed = Flags(rawValue: 2)
        static let fast = Flags(rawValue: 4)
        static let atMostOnce = Flags(rawValue: 8)
        static let dense = Flags(rawValue: 16)
        /// The outcome of a ledger's only device was published.
        static let reported = Flags(rawValue: 32)

        /// As scripts name them.
        static let named: [(name: String, flag: Flags)] = [
            ("CANCELLED", cancelled), ("CLOSED", closed), ("FAST", fast), ("AT_MOST_ONCE", atMostOnce),
            ("DENSE", dense), ("REPORTED", reported),
        ]
    }

    static func ranges(_ offsets: [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        var range: ClosedRange<UInt16>?
        func flush() {
            guard let range else { return }
            bytes.append(integer: range.lowerBound)
            bytes.append(integer: range.upperBound)
        }
        for offset in offsets {
            if let open = range, offset == open.upperBound + 1 {
                range = open.lowerBound...offset
            } else {
                flush()
                range = offset...offset
            }
        }
        flush()
        return bytes
    }

    static func set(ofRanges bytes: [UInt8]) -> SegmentSet? {
        var set = SegmentSet()
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            guard let first = reader.integer(UInt16.self), let last = reader.integer(UInt16.self), first <= last,
                Int(last) < DeviceIndex.segmentCapacity
            else { return nil }
            for offset in first...last { set.insert(offset) }
        }
        return set
    }

    static func name(of claim: ClaimID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: claim.owner)
        bytes.append(integer: claim.number)
        return bytes
    }

    static func milliseconds(_ moment: Timestamp) -> Int64 {
        min(max(moment.milliseconds, 0), latest)
    }

    static func milliseconds(_ duration: Duration) -> Int64 {
        min(max(duration, .zero), .seconds(1 << 32)).wholeMilliseconds
    }

    /// Flags and deadline of a new ledger for this plan.
    static func start(of plan: TaskPlan) -> [RedisArgument] {
        var flags: Flags = plan.isFast ? [.fast] : []
        if plan.policy == .atMostOnce { flags.insert(.atMostOnce) }
        return [RedisArgument(Int(flags.rawValue)), RedisArgument(milliseconds(plan.deadline))]
    }

    /// The app comes first because a script compares it.
    static func packed(_ plan: TaskPlan) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(counted: plan.app.text.utf8)
        bytes.append(variableInteger: plan.jobs)
        bytes.append(plan.isFast ? 1 : 0)
        bytes.append(plan.policy.rawValue)
        bytes.append(integer: plan.deadline.milliseconds)
        return bytes
    }

    static func plan(packed bytes: [UInt8]) -> TaskPlan? {
        var reader = ByteReader(bytes)
        guard let app = reader.text().flatMap({ try? AppID($0) }), let jobs = reader.variableInteger(),
            let isFast = reader.byte(), let policy = reader.byte().flatMap(TaskPlan.AmbiguityPolicy.init),
            let deadline = reader.integer(Int64.self)
        else { return nil }
        return TaskPlan(
            app: app, jobs: jobs, isFast: isFast == 1, deadline: Timestamp(milliseconds: deadline), policy: policy)
    }

    /// Counts of a ledger with two bytes for each state, or of a task with four. Where no device can be deferred, that
    /// state has none.
    static func counts<Value: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>, _: Value.Type) -> StateCounts? {
        var counts = StateCounts()
        var reader = ByteReader(bytes)
        for state in DeliveryState.allCases where state != .notTargeted {
            if state == .deferred, reader.isAtEnd { break }
            guard let count = reader.integer(Value.self) else { return nil }
            counts[state] = Int(count)
        }
        return counts
    }

    /// Numbers of devices by provider and state; `Scripts/Ledger/providers.lua` describes them. Those of a provider
    /// that only a later version has are left out.
    static func providers(_ bytes: [UInt8]) -> [PushProtocol: OutcomeCounts]? {
        var providers: [PushProtocol: OutcomeCounts] = [:]
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            guard let number = reader.byte(), let state = reader.byte().flatMap(DeliveryState.init(rawValue:)),
                let count = reader.integer(UInt32.self)
            else { return nil }
            guard let provider = PushProtocol(rawValue: number) else { continue }
            providers[provider, default: OutcomeCounts()][state] += Int(count)
        }
        return providers
    }

    /// Numbers of devices by reason; `Scripts/Ledger/reasons.lua` describes them.
    static func reasons(_ bytes: [UInt8]) -> ReasonCounts? {
        var reasons = ReasonCounts()
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            guard let state = reader.byte().flatMap(DeliveryState.init(rawValue:)),
                let status = reader.integer(UInt16.self), let count = reader.integer(UInt32.self),
                let length = reader.byte(), let text = reader.bytes(Int(length))
            else { return nil }
            reasons.add(
                Int(count), of: ReasonCounts.Reason(state, status: status, text: OutsideText.replacing(text)))
        }
        return reasons
    }

    /// Counts in the encoding of a closed task.
    static func totals(_ counts: StateCounts) -> [UInt8] {
        var bytes: [UInt8] = []
        for state in DeliveryState.allCases where state != .notTargeted && state != .deferred {
            bytes.append(integer: UInt32(clamping: counts[state]))
        }
        return bytes
    }

    static func snapshot(_ bytes: [UInt8]) -> LedgerSnapshot? {
        guard let counts = counts(ofLedger: bytes), let states = body(of: bytes) else { return nil }
        let flags = Flags(rawValue: bytes[1])
        let known = flags.contains(.dense) ? denseStates(states) : sparseStates(states, count: counts.targeted)
        return known.map { LedgerSnapshot(counts: counts, isCancelled: flags.contains(.cancelled), states: $0) }
    }

    /// Needs only the header. Nil for an unknown version.
    static func counts(ofLedger bytes: [UInt8]) -> StateCounts? {
        guard let end = headerEnd(of: bytes) else { return nil }
        return counts(bytes[8..<end], UInt16.self)
    }

    private static func body(of ledger: [UInt8]) -> ArraySlice<UInt8>? {
        headerEnd(of: ledger).map { ledger[$0...] }
    }

    private static func headerEnd(of ledger: [UInt8]) -> Int? {
        guard let version = ledger.first, (1...headerBytes.count).contains(Int(version)) else { return nil }
        let end = headerBytes[Int(version) - 1]
        return ledger.count >= end ? end : nil
    }

    /// The detail that follows the only entry of a ledger.
    private static func ownDetail(of ledger: [UInt8]) -> ArraySlice<UInt8> {
        body(of: ledger)?.dropFirst(2) ?? []
    }

    static func detail(of offset: UInt16, ledger: [UInt8], stored: [UInt8]) -> OutcomeDetail? {
        guard let snapshot = snapshot(ledger), let state = snapshot.states[offset] else { return nil }
        return detail(of: state, snapshot.counts.targeted == 1 ? ownDetail(of: ledger) : stored[...])
    }

    static func outcomes(
        ledger: [UInt8], stored: [UInt16: [UInt8]], in segment: SegmentNumber
    ) -> [TaskOutcomes.Device]? {
        guard let snapshot = snapshot(ledger) else { return nil }
        let isAlone = snapshot.counts.targeted == 1
        return snapshot.states.sorted { $0.key < $1.key }.map { offset, state in
            let bytes = isAlone ? ownDetail(of: ledger) : stored[offset, default: []][...]
            return TaskOutcomes.Device(
                index: DeviceIndex(segment: segment, offset: offset), state: state, detail: detail(of: state, bytes))
        }
    }

    /// Read from the flag of a ledger with a single device, otherwise from the `told` field.
    static func reported(ledger: [UInt8], noted: [UInt8]) -> SegmentSet? {
        guard let snapshot = snapshot(ledger) else { return nil }
        if snapshot.counts.targeted == 1 {
            return Flags(rawValue: ledger[1]).contains(.reported) ? SegmentSet(snapshot.states.keys) : SegmentSet()
        }
        return noted.count == SegmentSet.bytesCount ? SegmentSet(bytes: noted) : set(ofRanges: noted)
    }

    private static func detail(of state: DeliveryState, _ bytes: ArraySlice<UInt8>) -> OutcomeDetail? {
        var reader = ByteReader(bytes)
        guard let attempt = reader.byte(), let low = reader.integer(UInt32.self),
            let high = reader.integer(UInt16.self),
            let status = reader.integer(UInt16.self)
        else { return nil }
        let time = Timestamp(milliseconds: Int64(high) << 32 | Int64(low))
        var rest = reader.rest()
        var due: Timestamp?
        if rest.count >= dueBytes, rest[rest.endIndex - dueBytes] == 0 {
            due = moment(rest.suffix(dueBytes - 1))
            rest = rest.dropLast(dueBytes)
        } else if rest.count >= providerBytes, rest[rest.endIndex - providerBytes] == 0 {
            rest = rest.dropLast(providerBytes)
        }
        let reason = OutsideText.replacing(rest)
        return OutcomeDetail(state: state, attempt: attempt, time: time, status: status, reason: reason, due: due)
    }

    /// The reason, then a zero byte, which no reason contains, and the time of the next attempt.
    static func reasonAndDue(of group: Settlement.Group) -> [UInt8] {
        let reason = group.reason.utf8.filter { $0 != 0 }
        guard let due = group.due else { return reason }
        let number = UInt64(milliseconds(due))
        return reason + [0] + (0..<(dueBytes - 1)).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }

    private static func moment(_ bytes: ArraySlice<UInt8>) -> Timestamp {
        Timestamp(milliseconds: bytes.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) })
    }

    private static func sparseStates(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt16: DeliveryState]? {
        var states: [UInt16: DeliveryState] = [:]
        var reader = ByteReader(bytes)
        for _ in 0..<count {
            guard let entry = reader.integer(UInt16.self), let state = DeliveryState(rawValue: UInt8(entry & 15)) else {
                return nil
            }
            states[entry >> 4] = state
        }
        return states
    }

    private static func denseStates(_ bytes: ArraySlice<UInt8>) -> [UInt16: DeliveryState]? {
        guard bytes.count == DeviceIndex.segmentCapacity / 2 else { return nil }
        var states: [UInt16: DeliveryState] = [:]
        for (position, pair) in bytes.enumerated() {
            for (offset, value) in [(UInt16(position) * 2, pair & 15), (UInt16(position) * 2 + 1, pair >> 4)] {
                guard let state = DeliveryState(rawValue: value) else { return nil }
                if state != .notTargeted { states[offset] = state }
            }
        }
        return states
    }
}
