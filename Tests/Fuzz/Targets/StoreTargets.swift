import ServiceKit

@testable import PushModel
@testable import RedisClient
@testable import RedisStore
@testable import RegistryLog
@testable import Store
@testable import Topics

/// Data in Redis and in the registry log: packed devices, ledgers, traces, records.
enum StoreTargets {
    static func devices(_ bytes: [UInt8]) throws {
        if let device = Device(packed: bytes[...]) { try check(device, from: bytes) }
        try checkNewDevice(bytes)
        try checkSet(bytes)
    }

    private static func check(_ device: Device, from bytes: [UInt8]) throws {
        let head = Device.PackedHead(bytes[...])
        try FuzzError.check(head?.kind == device.token.kind && head?.tag == device.tag, message: "the head differs")
        let glance = DeviceGlance(packed: bytes[...])
        try FuzzError.check(glance?.updated == device.updated, message: "the glance differs")
        // A forged record may contain a token in capitals, which is written in lower case.
        let packed = device.packed
        let again = Device(packed: packed[...])
        try FuzzError.check(again?.packed == packed, message: "a packed device is not stable")
    }

    /// A device created by our code is read back unchanged.
    private static func checkNewDevice(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let kinds: [PushProtocol] = [.apns, .fcm, .huawei, .webpush]
        let kind = kinds[input.number(below: kinds.count)]
        guard let token = try? PushToken(kind, text: input.text()) else { return }
        var device = Device(tag: UInt32(truncatingIfNeeded: input.integer()), token: token, created: 1_700_000_000)
        device.updated = UInt32(truncatingIfNeeded: input.integer())
        device.language = input.isAtEnd ? nil : input.text()
        device.contentAvailable = input.isAtEnd ? nil : input.byte() & 1 == 1
        device.category = input.isAtEnd ? nil : input.text()
        for kind in Alias.Kind.allCases where !input.isAtEnd { device.aliases[kind] = input.text() }
        try FuzzError.check(Device(packed: device.packed[...]) == device, message: "a device reads back differently")
    }

    private static func checkSet(_ bytes: [UInt8]) throws {
        guard let set = SegmentSet(bytes: bytes) else { return }
        let offsets = set.offsets
        try FuzzError.check(offsets.count == set.count && SegmentSet(offsets) == set, message: "a set loses members")
        try FuzzError.check(SegmentSet(bytes: set.bytes) == set, message: "a set reads back differently")
        let ranges = RedisLedgerEncoding.ranges(offsets)
        try FuzzError.check(RedisLedgerEncoding.set(ofRanges: ranges) == set, message: "ranges read back differently")
    }

    static func ledger(_ bytes: [UInt8]) throws {
        if let set = RedisLedgerEncoding.set(ofRanges: bytes) {
            let ranges = RedisLedgerEncoding.ranges(set.offsets)
            try FuzzError.check(
                RedisLedgerEncoding.set(ofRanges: ranges) == set, message: "ranges read back differently")
        }
        if let plan = RedisLedgerEncoding.plan(packed: bytes) {
            let packed = RedisLedgerEncoding.packed(plan)
            try FuzzError.check(
                RedisLedgerEncoding.plan(packed: packed) == plan, message: "a plan reads back differently")
            _ = RedisLedgerEncoding.start(of: plan)
        }
        try checkSnapshot(bytes)
        try checkReplies(bytes)
    }

    private static func checkSnapshot(_ bytes: [UInt8]) throws {
        guard let snapshot = RedisLedgerEncoding.snapshot(bytes) else { return }
        let segment = SegmentNumber(rawValue: 7)
        let outcomes = RedisLedgerEncoding.outcomes(ledger: bytes, stored: [3: bytes], in: segment)
        try FuzzError.check(outcomes?.count == snapshot.states.count, message: "outcomes and states differ")
        for offset in snapshot.states.keys.prefix(4) {
            let detail = RedisLedgerEncoding.detail(of: offset, ledger: bytes, stored: bytes)
            try FuzzError.check(
                detail == nil || detail?.state == snapshot.states[offset], message: "a detail's state differs")
        }
    }

    /// Script replies with arbitrary content.
    private static func checkReplies(_ bytes: [UInt8]) throws {
        for reply in RedisTarget.replies(of: bytes, piece: 4_096).values.prefix(8) {
            _ = try? RedisLedgerReply.entered(reply)
            _ = try? RedisLedgerReply.marked(SegmentSet(), value: reply)
            _ = try? RedisLedgerReply.expired(reply)
            _ = try? RedisLedgerReply.header(reply)
            _ = try? RedisLedgerReply.detail(reply, of: 3)
            var summary = DeferralSummary()
            try? RedisLedgerReply.add(deferralSums: reply, to: &summary)
            _ = RedisDeferralEncoding.detail(of: 3, groups: [(bytes, bytes)])
            _ = try? RedisLedgerReply.snapshot(reply)
            _ = try? RedisLedgerReply.view(reply)
            _ = try? RedisLedgerReply.outcomes(reply, details: reply, in: SegmentNumber(rawValue: 1))
            let answers = try? RedisLedgerReply.answers(reply, to: [1, 2, 3], withBadges: true)
            try FuzzError.check(answers.map { $0.count == 3 } ?? true, message: "an answer is missing")
            let stored = try? StoredDevice(reply)
            _ = stored?.subscriptions.options
            _ = StoredDevice.removed(bytes)
        }
    }

    static func trace(_ bytes: [UInt8]) throws {
        guard let trace = TaskTrace(packed: bytes) else { return }
        _ = trace.progress
        _ = "\(trace.created) \(trace.plan.deadline)"
        let again = TaskTrace(packed: trace.packed)
        try FuzzError.check(again == trace, message: "a trace reads back differently")
    }

    static func records(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let (key, value) = input.halves()
        guard let record = try? RegistryRecord(key: key, value: value) else { return }
        try FuzzError.check(record.key == key, message: "a record has another key than it was read with")
        let again = try? RegistryRecord(key: record.key, value: record.value)
        // A forged token in capitals is written in lower case.
        try FuzzError.check(again?.value == record.value, message: "a record is not stable")
    }
}
