import PushModel
import RedisClient
import ServiceKit
import Store

/// Decodes the replies of the ledger's scripts. Every malformed reply is a `corrupt` error.
enum RedisLedgerReply {
    static func plan(_ value: RedisValue) throws(StoreError) -> TaskPlan {
        try known(value.bytes.flatMap(RedisLedgerEncoding.plan(packed:)), name: "a plan")
    }

    /// The task in which the segment was entered.
    static func entered(_ value: RedisValue) throws(StoreError) -> EnteredTask? {
        guard !value.isNull else { return nil }
        let parts = try known(value.array.flatMap { $0.count == 2 ? $0 : nil }, name: "a task")
        return EnteredTask(plan: try plan(parts[0]), isCancelled: parts[1] == .integer(1))
    }

    static func marked(_ devices: SegmentSet, value: RedisValue) throws(StoreError) -> MarkVerdict {
        switch value {
        case .null: .missing
        case .integer(MarkReplyCode.cancelled.rawValue): .cancelled
        case .integer: .open(devices)
        default: .open(try set(value))
        }
    }

    static func set(_ value: RedisValue) throws(StoreError) -> SegmentSet {
        try known(value.bytes.flatMap(RedisLedgerEncoding.set(ofRanges:)), name: "a set of devices")
    }

    /// One answer for each offset; the offsets are in ascending order without duplicates.
    static func answers(
        _ value: RedisValue, to offsets: [UInt16], withBadges: Bool
    ) throws(StoreError) -> [UInt16: ClaimAnswer] {
        let parts = try known(value.array?.compactMap(\.bytes), name: "a claim's answer")
        guard parts.count == 3, parts[0].count == offsets.count else { throw unreadable("a claim's answer") }
        var badges = ByteReader(parts[1])
        var times = ByteReader(parts[2])
        var answers: [UInt16: ClaimAnswer] = [:]
        for (offset, code) in zip(offsets, parts[0]) {
            switch ClaimReplyCode(rawValue: code) {
            case .unmarked: answers[offset] = .unmarked
            case .held: answers[offset] = .held(for: .milliseconds(try milliseconds(&times)))
            case .capped: answers[offset] = .capped(until: Timestamp(milliseconds: try milliseconds(&times)))
            case .claimed:
                let badge: UInt32? = withBadges ? try known(badges.integer(), name: "a badge") : nil
                answers[offset] = .claimed(badge: badge == .max ? nil : badge)
            case .superseded: answers[offset] = .superseded
            case .reported: answers[offset] = .reported
            case nil: answers[offset] = .ended(try known(DeliveryState(rawValue: code), name: "a state"))
            }
        }
        return answers
    }

    private static func milliseconds(_ times: inout ByteReader) throws(StoreError) -> Int64 {
        let low = try known(times.integer(UInt32.self), name: "a time")
        let high = try known(times.integer(UInt16.self), name: "a time")
        return Int64(high) << 32 | Int64(low)
    }

    static func expired(_ value: RedisValue) throws(StoreError) -> [DeliveryState: SegmentSet] {
        guard !value.isNull else { return [:] }
        guard let parts = value.array, parts.count == 3, let code = parts[1].integer,
            let state = DeliveryState(rawValue: UInt8(truncatingIfNeeded: code))
        else { throw unreadable("the expired devices") }
        var ended = [DeliveryState.unknown: try set(parts[2])]
        ended[state, default: SegmentSet()].formUnion(try set(parts[0]))
        return ended.filter { !$0.value.isEmpty }
    }

    /// The counts of a ledger of which only the header is read.
    static func header(_ value: RedisValue) throws(StoreError) -> StateCounts {
        try known(value.bytes.flatMap(RedisLedgerEncoding.counts(ofLedger:)), name: "counts")
    }

    static func add(deferralSums value: RedisValue, to summary: inout DeferralSummary) throws(StoreError) {
        try known(value.bytes.flatMap { RedisDeferralEncoding.add($0, to: &summary) }, name: "deferred devices")
    }

    /// The ledger, a stored detail, and the deferrals as fields and values.
    static func detail(_ value: RedisValue, of offset: UInt16) throws(StoreError) -> OutcomeDetail? {
        guard let parts = value.array, parts.count == 3, let ledger = parts[0].bytes, let stored = parts[1].bytes,
            let fields = parts[2].array?.map({ $0.bytes ?? [] })
        else { throw unreadable("a detail") }
        guard RedisLedgerEncoding.snapshot(ledger)?.states[offset] == .deferred else {
            return RedisLedgerEncoding.detail(of: offset, ledger: ledger, stored: stored)
        }
        let groups = stride(from: 0, to: fields.count - 1, by: 2).map { (fields[$0], fields[$0 + 1]) }
        return RedisDeferralEncoding.detail(of: offset, groups: groups)
    }

    static func snapshot(_ value: RedisValue) throws(StoreError) -> LedgerSnapshot? {
        guard !value.isNull else { return nil }
        return try known(value.bytes.flatMap(RedisLedgerEncoding.snapshot), name: "a ledger")
    }

    /// `details` alternates between fields and values.
    static func outcomes(
        _ states: RedisValue, details: RedisValue, in segment: SegmentNumber
    ) throws(StoreError) -> [TaskOutcomes.Device] {
        let fields = details.array ?? []
        var stored: [UInt16: [UInt8]] = [:]
        for place in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let offset = fields[place].string.flatMap({ UInt16($0) }) else { continue }
            stored[offset] = fields[place + 1].bytes
        }
        return try known(
            states.bytes.flatMap { RedisLedgerEncoding.outcomes(ledger: $0, stored: stored, in: segment) },
            name: "a ledger")
    }

    /// `details` alternates between fields and values.
    static func unreported(
        _ states: RedisValue, details: RedisValue, in segment: SegmentNumber
    ) throws(StoreError) -> [TaskOutcomes.Device] {
        let fields = details.array ?? []
        let place = stride(from: 0, to: fields.count - 1, by: 2).first { fields[$0].string == LedgerKeys.reportedField }
        let reported = try known(
            states.bytes.flatMap { ledger in
                RedisLedgerEncoding.reported(ledger: ledger, noted: place.flatMap { fields[$0 + 1].bytes } ?? [])
            }, name: "the published outcomes")
        return try outcomes(states, details: details, in: segment)
            .filter { $0.state.isTerminal && !reported.contains($0.index.offset) }
    }

    static func view(_ value: RedisValue) throws(StoreError) -> RedisLedgerView? {
        guard !value.isNull else { return nil }
        return try known(value.array.flatMap(RedisLedgerView.init), name: "a task")
    }

    /// Open segments, sums of closed ones, and the fields of the task.
    static func view(_ replies: [RedisValue]) throws(StoreError) -> RedisLedgerView? {
        guard replies.count == 3, let fields = replies[2].array, fields.count == RedisLedgerView.fields.count else {
            throw unreadable("a task")
        }
        guard !fields[0].isNull else { return nil }
        return try known(RedisLedgerView(fields, open: replies[0], sums: replies[1]), name: "a task")
    }

    private static func known<Value>(_ value: Value?, name: String) throws(StoreError) -> Value {
        guard let value else { throw unreadable(name) }
        return value
    }

    private static func unreadable(_ name: String) -> StoreError {
        StoreError(.corrupt, message: "invalid data in Redis: cannot decode \(name)")
    }
}
