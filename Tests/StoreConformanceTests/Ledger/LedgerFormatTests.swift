import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// Ledgers as earlier versions wrote them, byte by byte.
@Suite(.timeLimit(.minutes(5))) struct LedgerFormatTests {
    private static let kinds: [StoreKind] = [.redis, .cluster]

    /// A ledger of version 1 with devices that are targeted, and one that waits.
    private static func former(
        _ targeted: [UInt16], waiting: UInt16, isDense: Bool = false, deadline: Timestamp
    ) -> [UInt8] {
        var bytes: [UInt8] = [1, isDense ? 16 : 0]
        let milliseconds = UInt64(deadline.milliseconds)
        bytes += (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64($0 * 8)) }
        for count in [targeted.count, 0, 1] + Array(repeating: 0, count: 8) { bytes.append(integer: UInt16(count)) }
        guard isDense else {
            let entries = (targeted.map { ($0, 1) } + [(waiting, 3)]).sorted { $0.0 < $1.0 }
            for (offset, state) in entries { bytes.append(integer: offset << 4 | UInt16(state)) }
            return bytes
        }
        var body = [UInt8](repeating: 0, count: 2_048)
        for (offset, state) in targeted.map({ ($0, UInt8(1)) }) + [(waiting, UInt8(3))] {
            body[Int(offset) / 2] |= offset % 2 == 0 ? state : state << 4
        }
        return bytes + body
    }

    /// Plans a task whose segment an earlier version has marked.
    private static func fixture(
        _ kind: StoreKind, targeted: [UInt16], waiting: UInt16, isDense: Bool = false
    ) async throws -> (LedgerFixture, RedisClient) {
        let fixture = try await kind.ledger()
        let redis = try #require(fixture.redis)
        try await fixture.begin([0])
        let bytes = former(
            targeted, waiting: waiting, isDense: isDense, deadline: fixture.time.now + LedgerFixture.deadline)
        _ = try await redis.send(RedisCommand("SET", fixture.key, RedisArgument(bytes)))
        return (fixture, redis)
    }

    /// Goal: every script continues a ledger of version 1. Method: the same life in the two forms of a ledger, with
    /// each operation before and after its first deferral.
    @Test(arguments: kinds, [false, true])
    func aFormerLedgerIsContinued(kind: StoreKind, isDense: Bool) async throws {
        let targeted = Array(UInt16(10)..<(isDense ? 710 : 30))
        let (fixture, redis) = try await LedgerFormatTests.fixture(
            kind, targeted: targeted, waiting: 2_000, isDense: isDense)
        let count = targeted.count + 1
        #expect(try await fixture.progress()?.counts.targeted == count)
        #expect(try await fixture.state(2_000) == .waiting)
        #expect(
            try await fixture.claim(1, offsets: [10, 11, 2_000]) == Array(repeating: .claimed(badge: nil), count: 3))
        try await fixture.settle(1, offsets: [10], as: .failed, reason: "Gone")
        #expect(try await fixture.version(redis) == 1)
        #expect(try await fixture.defer([11, 12, 13, 14], until: fixture.time.now) == [12, 13, 14])
        #expect(try await fixture.version(redis) == 2)
        #expect(try await redis.send(RedisCommand("HGET", "witness", "format")).string == "2")
        #expect(try await fixture.mark([10, 12, 15, 4_095]) == .open(SegmentSet([15, 4_095])))
        #expect(try await fixture.release(2, offsets: [12]) == [.claimed(badge: nil)])
        try await fixture.settle(2, offsets: [12])
        try await fixture.settle(1, offsets: [11], as: .waiting, attempt: 1)
        #expect(try await fixture.detail(10)?.reason == "Gone")
        let snapshot = try #require(try await fixture.ledger.states(of: fixture.task, in: fixture.segment))
        #expect(snapshot.counts[.deferred] == 2 && snapshot.counts[.delivered] == 1 && snapshot.counts[.claimed] == 1)
        #expect(snapshot.states.count == count + 1 && snapshot.states[15] == .targeted)
        try await fixture.ledger.noteReported(SegmentSet([10]), of: fixture.task, in: fixture.segment)
        _ = try await fixture.ledger.cancel(fixture.task, in: fixture.segment)
        try await fixture.settle(1, offsets: [2_000])
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        let closed = try #require(try await fixture.ledger.close([fixture.segment], of: fixture.task))
        #expect(closed.closed != nil && closed.counts[.cancelled] == count - 2 && closed.counts[.delivered] == 2)
        #expect(closed.counts.targeted == count + 1)
    }

    @Test(arguments: kinds)
    func aFormerLedgerExpires(kind: StoreKind) async throws {
        let (fixture, _) = try await LedgerFormatTests.fixture(kind, targeted: [1], waiting: 3)
        #expect(try await fixture.mark([1, 2, 3]) == .open(SegmentSet([1, 2, 3])))
        fixture.passDeadline()
        let ended = try await fixture.ledger.expire(fixture.task, in: fixture.segment, untried: .expired)
        #expect(ended == [.expired: SegmentSet([1, 2, 3])])
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        #expect(try await fixture.ledger.close([fixture.segment], of: fixture.task)?.counts[.expired] == 3)
    }

    /// Until a device is deferred, an earlier version reads what this one writes.
    @Test(arguments: kinds)
    func aLedgerWithoutDeferralsKeepsItsFormerForm(kind: StoreKind) async throws {
        let fixture = try await kind.ledger(.own)
        let redis = try #require(fixture.redis)
        try await fixture.begin([5])
        let bytes = try #require(try await redis.send(RedisCommand("GET", fixture.key)).bytes)
        var expected = LedgerFormatTests.former([5], waiting: 6, deadline: fixture.time.now + LedgerFixture.deadline)
        expected[12] = 0
        #expect(bytes == Array(expected.dropLast(2)))
        #expect(try await redis.send(RedisCommand("HGET", "witness", "format")).string == nil)
    }

    @Test(arguments: kinds)
    func aLedgerOfALaterVersionIsLeftAlone(kind: StoreKind) async throws {
        let (fixture, redis) = try await LedgerFormatTests.fixture(kind, targeted: [1], waiting: 3)
        _ = try await redis.send(RedisCommand("SETRANGE", fixture.key, 0, RedisArgument([3])))
        let before = try await redis.send(RedisCommand("GET", fixture.key))
        await #expect(throws: StoreError.self) { try await fixture.claim(1, offsets: [1]) }
        await #expect(throws: StoreError.self) { try await fixture.mark([1]) }
        await #expect(throws: StoreError.self) { try await fixture.states() }
        await #expect(throws: StoreError.self) { try await fixture.progress() }
        #expect(try await redis.send(RedisCommand("GET", fixture.key)) == before)
    }
}

extension LedgerFixture {
    fileprivate var key: RedisArgument { "led:{\(segment)}:\(task.key)" }

    fileprivate func version(_ redis: RedisClient) async throws -> UInt8? {
        try await redis.send(RedisCommand("GETRANGE", key, 0, 0)).bytes?.first
    }
}
