import PushModel
import RedisClient
import ServiceKit
import Store
import TestSupport
import Testing

/// What the closing of a task for few tells about its devices. The outcomes themselves have tests of their own.
@Suite(.timeLimit(.minutes(5))) struct ClosedTaskTests {
    private static let life = TaskPlan.retention(isFast: true).wholeMilliseconds

    /// One or two devices in one segment, of which the first is delivered, and maybe one in another segment.
    private func end(_ fixture: LedgerFixture, offsets: [UInt16], in other: SegmentID? = nil) async throws {
        let (ledger, task) = (fixture.ledger, fixture.task)
        try await fixture.begin(offsets, isFast: true)
        if let other { _ = try await ledger.mark(SegmentSet([9]), of: task, in: other) }
        try await ledger.resolve(job: 0, of: task)
        _ = try await fixture.claim(1, offsets: offsets)
        try await fixture.settle(1, offsets: [offsets[0]], status: 200)
        if offsets.count > 1 {
            try await fixture.settle(1, offsets: Array(offsets[1...]), as: .failed, status: 400, reason: "Bad")
        }
        if let other { _ = try await ledger.cancel(task, in: other) }
    }

    private func close(_ fixture: LedgerFixture) async throws -> ClosedTask? {
        let progress = try #require(try await fixture.ledger.progress(of: fixture.task))
        return try await fixture.ledger.closeWithOutcomes(fixture.task, after: progress)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func theOutcomesAreThoseOfTheClosedTask(kind: StoreKind, hasOther: Bool) async throws {
        for offsets: [UInt16] in [[7], [7, 8]] {
            let fixture = try await kind.ledger()
            let other = hasOther ? SegmentID(fixture.segment.app, number: SegmentNumber(rawValue: 1)) : nil
            try await end(fixture, offsets: offsets, in: other)
            let closed = try #require(try await close(fixture))
            #expect(closed.progress.closed == fixture.time.now)
            #expect(try await fixture.ledger.progress(of: fixture.task) == closed.progress)
            #expect(closed.progress.counts.targeted == offsets.count + (hasOther ? 1 : 0))
            let outcomes = try #require(try await fixture.ledger.outcomes(of: fixture.task))
            #expect(closed.outcomes == nil || closed.outcomes == outcomes)
            #expect((closed.outcomes == nil) == (fixture.redis == nil), "only Redis spares the caller a read")
        }
    }

    /// A segment that was closed before is missing from what the closing reads.
    @Test(arguments: StoreKind.allCases)
    func theOutcomesAreAllOrNone(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let other = SegmentID(fixture.segment.app, number: SegmentNumber(rawValue: 1))
        try await end(fixture, offsets: [7], in: other)
        #expect(try await fixture.ledger.close([other], of: fixture.task)?.closed == nil)
        let closed = try #require(try await close(fixture))
        #expect(closed.progress.closed != nil && closed.progress.counts.targeted == 2)
        #expect(closed.outcomes == nil)
        #expect(try await fixture.ledger.outcomes(of: fixture.task)?.devices.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func anOpenTaskHasNone(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([7], isFast: true)
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        let closed = try #require(try await close(fixture))
        #expect(closed.progress.closed == nil && closed.outcomes == nil)
    }

    @Test(arguments: [[7], [7, 8]] as [[UInt16]])
    func itsLedgersAreReleased(offsets: [UInt16]) async throws {
        let fixture = try await StoreKind.redis.ledger()
        let redis = try #require(fixture.redis)
        try await end(fixture, offsets: offsets)
        let outcomes = try #require(try await close(fixture)?.outcomes)
        try await fixture.ledger.release(fixture.task, closedWith: outcomes)
        let place = "{\(fixture.segment)}:\(fixture.task.key)"
        for key in ["led:\(place)", "task:{\(fixture.task.key)}"] + (offsets.count > 1 ? ["det:\(place)"] : []) {
            let left = try #require(try await redis.send(RedisCommand("PTTL", RedisArgument(key))).integer)
            #expect((Self.life - 60_000...Self.life).contains(left), "\(key)")
        }
        let hasDetails = try await redis.send(RedisCommand("EXISTS", RedisArgument("det:\(place)"))) == .integer(1)
        #expect(hasDetails == (offsets.count > 1))
    }
}
