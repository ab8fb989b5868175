import PushModel
import RedisClient
import Store
import TestSupport
import Testing

/// Goal: a full Redis can drain. Method: a server's memory limit is set below its usage while a task is under way;
/// nothing new begins there, and everything that has begun completes.
@Suite(.timeLimit(.minutes(5))) struct LedgerFullTests {
    @Test func whatWasBegunEndsInAFullRedis() async throws {
        let fixture = try await StoreKind.redis.ledger(.own)
        let redis = try #require(fixture.redis)
        let (task, segment, ledger) = (fixture.task, fixture.segment, fixture.ledger)
        try await fixture.begin(0..<2_000, jobs: 2)
        let cancelled = SegmentID(segment.app, number: SegmentNumber(rawValue: 8))
        _ = try await ledger.mark(SegmentSet([1, 2, 3]), of: task, in: cancelled)
        _ = try await redis.send(RedisCommand("CONFIG", "SET", "maxmemory", "1mb"))

        await expectFull { try await fixture.mark([3_000]) }
        await expectFull { try await ledger.plan(TaskID(high: 0, low: 1), as: fixture.makePlan()) }
        await expectFull {
            try await ledger.begin(TaskID(high: 0, low: 2), plan: fixture.makePlan(), devices: [1], in: [])
        }
        #expect(try await ledger.decidedDevices(of: TaskID(high: 0, low: 2)) == nil)
        #expect(
            try await fixture.claim(1, offsets: Array(0..<64), badges: true).allSatisfy { $0 == .claimed(badge: 1) })
        #expect(try await fixture.settle(1, offsets: Array(0..<40)) == [])
        #expect(
            try await fixture.settle(1, offsets: Array(40..<50), as: .failed, status: 400, reason: "BadToken") == [])
        #expect(try await fixture.settle(1, offsets: Array(50..<60), as: .waiting) == [])
        #expect(try await ledger.renew(fixture.request(1, offsets: []).id, for: .seconds(60), of: task, in: segment))
        #expect(try await fixture.detail(45)?.reason == "BadToken")
        try await ledger.resolve(job: 0, of: task)
        try await ledger.resolve(job: 1, of: task)
        fixture.passDeadline()
        let ended = try await ledger.expire(task, in: segment, untried: .expired)
        #expect(ended == [.expired: SegmentSet(Array(50..<60) + Array(64..<2_000)), .unknown: SegmentSet(60..<64)])
        #expect(try await ledger.cancel(task, in: cancelled) == SegmentSet([1, 2, 3]))
        let progress = try #require(try await ledger.close([segment, cancelled], of: task))
        #expect(progress.closed == fixture.time.now)
        #expect(progress.counts.targeted == 2_003)
    }

    private func expectFull<Answer>(_ call: () async throws -> Answer) async {
        do {
            _ = try await call()
            Issue.record("a full Redis accepted the write")
        } catch {
            #expect((error as? StoreError)?.code == .full)
        }
    }
}
