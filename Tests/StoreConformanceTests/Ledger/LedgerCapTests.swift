import MemoryStore
import PushModel
import RedisClient
import ServiceKit
import Store
import TestSupport
import Testing

/// How many pushes a device gets in a period, over all tasks.
@Suite(.timeLimit(.minutes(5))) struct LedgerCapTests {
    private static let minute = Duration.seconds(60)
    private static let claimed = ClaimAnswer.claimed(badge: nil)

    @Test(arguments: StoreKind.allCases)
    func aPushIsCountedOnceWithItsFirstClaim(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let cap = PushCap(count: 2, period: .seconds(3_600))
        let tasks = try await fixture.tasks(3, marking: [1, 200])
        #expect(
            try await fixture.claim(1, of: tasks[0], offsets: [1, 200], cap: cap) == [
                LedgerCapTests.claimed, LedgerCapTests.claimed,
            ])
        let end = fixture.capEnd(cap)
        // Repeated, taken over after its lease, returned unsent, retried.
        #expect(try await fixture.claim(1, of: tasks[0], offsets: [1], cap: cap) == [LedgerCapTests.claimed])
        fixture.letLeasesDie()
        #expect(try await fixture.claim(2, of: tasks[0], offsets: [1], cap: cap) == [LedgerCapTests.claimed])
        try await fixture.wait(2, of: tasks[0], offset: 1, attempt: 0)
        #expect(try await fixture.claim(3, of: tasks[0], offsets: [1], cap: cap) == [LedgerCapTests.claimed])
        try await fixture.wait(3, of: tasks[0], offset: 1, attempt: 1)
        #expect(
            try await fixture.claim(4, of: tasks[0], offsets: [1], attempt: 1, cap: cap) == [LedgerCapTests.claimed])
        // So the second task is within the cap, and the third is not.
        #expect(try await fixture.claim(5, of: tasks[1], offsets: [1], cap: cap) == [LedgerCapTests.claimed])
        #expect(try await fixture.claim(6, of: tasks[2], offsets: [1], cap: cap) == [.capped(until: end)])
        #expect(try await fixture.ledger.states(of: tasks[2], in: fixture.segment)?.states[1] == .targeted)
        #expect(try await fixture.claim(7, of: tasks[2], offsets: [200], cap: cap) == [LedgerCapTests.claimed])
        // A claim without a cap neither limits nor counts.
        #expect(try await fixture.claim(8, of: tasks[2], offsets: [1]) == [LedgerCapTests.claimed])
    }

    /// Goal: no period, wherever it begins, has more pushes than the cap. Method: a device is claimed for a new task
    /// every seven and a half seconds; the times of those that succeed, and of the answers, are compared with each
    /// other.
    @Test(arguments: StoreKind.allCases)
    func thePeriodRolls(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let cap = PushCap(count: 3, period: LedgerCapTests.minute)
        let tasks = try await fixture.tasks(40, marking: [9])
        var sent: [Timestamp] = []
        for (number, task) in tasks.enumerated() {
            switch try await fixture.claim(UInt64(number + 1), of: task, offsets: [9], cap: cap).first {
            case LedgerCapTests.claimed:
                sent.append(fixture.time.now)
            case .capped(let end):
                let oldest = try #require(sent.suffix(3).first)
                #expect(sent.count >= 3 && end > fixture.time.now)
                #expect(end >= oldest + cap.period && end < oldest + cap.period + .seconds(1))
            case let answer:
                Issue.record("\(String(describing: answer))")
            }
            fixture.time.advance(by: .milliseconds(7_500))
        }
        for (first, fourth) in zip(sent, sent.dropFirst(3)) { #expect(fourth >= first + cap.period) }
        #expect((13...15).contains(sent.count))
    }

    @Test(arguments: StoreKind.allCases)
    func aReleaseIsCountedAndMayBeLimitedAgain(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let cap = PushCap(count: 1, period: LedgerCapTests.minute)
        let tasks = try await fixture.tasks(2, marking: [3, 4])
        let deferral = Deferral(offsets: [3, 4], cause: .cap, due: fixture.time.now + LedgerCapTests.minute)
        _ = try await fixture.ledger.defer([deferral], of: tasks[1], in: fixture.segment)
        _ = try await fixture.claim(1, of: tasks[0], offsets: [3], badges: true, cap: cap)
        let end = fixture.capEnd(cap)
        let release = try await fixture.claim(
            2, of: tasks[1], offsets: [3, 4], badges: true, kind: .deferral, cap: cap)
        // The badge is not counted before the push is.
        #expect(release == [.capped(until: end), .claimed(badge: 1)])
        let summary = try await fixture.ledger.deferrals(of: tasks[1], in: [fixture.segment])
        #expect(summary.parts[.cap]?.devices == 1)
        fixture.time.setWallClock(to: end)
        let again = try await fixture.claim(3, of: tasks[1], offsets: [3], badges: true, kind: .deferral, cap: cap)
        #expect(again == [.claimed(badge: 2)])
    }

    /// Goal: badges and pushes have a key for each bucket; a bucket whose devices are all refused does not shift them.
    @Test(arguments: StoreKind.allCases)
    func countsOfSkippedBucketsStayInPlace(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let cap = PushCap(count: 1, period: LedgerCapTests.minute)
        let tasks = try await fixture.tasks(2, marking: [5, 300, 4_000])
        _ = try await fixture.claim(1, of: tasks[0], offsets: [4_000], badges: true, cap: cap)
        let end = fixture.capEnd(cap)
        _ = try await fixture.claim(2, of: tasks[1], offsets: [5])
        let answers = try await fixture.claim(
            3, of: tasks[1], offsets: [5, 200, 300, 4_000], badges: true, cap: cap)
        #expect(answers == [LedgerFixture.held, .unmarked, .claimed(badge: 1), .capped(until: end)])
    }

    @Test(arguments: StoreKind.allCases)
    func whatEndsIsNotLimited(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let cap = PushCap(count: 1, period: .seconds(86_400))
        let tasks = try await fixture.tasks(3, marking: [1])
        _ = try await fixture.claim(1, of: tasks[0], offsets: [1], cap: cap)
        _ = try await fixture.ledger.cancel(tasks[1], in: fixture.segment)
        #expect(try await fixture.claim(2, of: tasks[1], offsets: [1], cap: cap) == [.ended(.cancelled)])
        #expect(
            try await fixture.claim(3, of: tasks[2], offsets: [1], cap: cap, deadline: fixture.time.now)
                == [.ended(.expired)])
    }

    /// Goal: two senders with two tasks never exceed a cap. Method: both claim the same devices at once, with room for
    /// one.
    @Test(arguments: StoreKind.allCases)
    func twoTasksAtOnceShareACap(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let cap = PushCap(count: 1, period: LedgerCapTests.minute)
        let offsets = Array(0..<UInt16(200))
        let tasks = try await fixture.tasks(2, marking: offsets)
        let chunks = offsets.chunks(of: 20).map { Array($0) }
        let answers = try await withThrowingTaskGroup(of: (Int, [ClaimAnswer]).self) { group in
            for (number, chunk) in chunks.enumerated() {
                for task in tasks {
                    group.addTask {
                        let id = UInt64(number + 1)
                        return (number, try await fixture.claim(id, of: task, offsets: chunk, cap: cap))
                    }
                }
            }
            return try await group.reduce(into: [Int: [[ClaimAnswer]]]()) { $0[$1.0, default: []].append($1.1) }
        }
        for both in answers.values {
            for (one, other) in zip(both[0], both[1]) {
                #expect((one == LedgerCapTests.claimed) != (other == LedgerCapTests.claimed))
            }
        }
    }

    /// A time from a clock that was ahead must not hold pushes back for as long as it was wrong.
    @Test(arguments: StoreKind.allCases)
    func timesOfAClockThatWasSetBackDoNotCount(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let cap = PushCap(count: 1, period: LedgerCapTests.minute)
        let tasks = try await fixture.tasks(3, marking: [1])
        let start = fixture.time.now
        fixture.time.setWallClock(to: start + .seconds(500))
        _ = try await fixture.claim(1, of: tasks[0], offsets: [1], cap: cap)
        fixture.time.setWallClock(to: start)
        #expect(try await fixture.claim(2, of: tasks[1], offsets: [1], cap: cap) == [LedgerCapTests.claimed])
        #expect(
            try await fixture.claim(3, of: tasks[2], offsets: [1], cap: cap)
                == [.capped(until: fixture.capEnd(cap))])
    }

    /// Goal: an app's counts do not outlive their use, and apps without a cap have none. Method: the keys of the
    /// segment.
    @Test(arguments: [StoreKind.redis, .cluster])
    func countsExpireWithTheirPeriod(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let redis = try #require(fixture.redis)
        let key = RedisArgument("push:{\(fixture.segment)}:1")
        let tasks = try await fixture.tasks(3, marking: [130])
        _ = try await fixture.claim(1, of: tasks[0], offsets: [130])
        #expect(try await redis.send(RedisCommand("EXISTS", key)) == .integer(0))
        for (task, hours) in zip(tasks.dropFirst(), [24, 1]) {
            let cap = PushCap(count: 5, period: .seconds(hours * 3_600))
            _ = try await fixture.claim(2, of: task, offsets: [130], cap: cap)
            let rest = try #require(try await redis.send(RedisCommand("PTTL", key)).integer)
            // A cap with a shorter period keeps the counts of the longer one.
            #expect((86_400_000...86_520_000).contains(rest))
        }
        #expect(try await redis.send(RedisCommand("HSTRLEN", key, "2")) == .integer(8))
    }

    /// Goal: both stores count alike in cases that no single test covers. Method: the same random claims, of many tasks
    /// and under caps that change, on each; times jump. No answer may differ.
    @Test(arguments: 1...10)
    func bothLedgersCountAlike(seed: Int) async throws {
        let fixture = try await StoreKind.redis.ledger()
        let random = SeededRandomSource(seed: UInt64(seed))
        let memory = MemoryLedger(time: fixture.time)
        let periods: [Duration] = [.seconds(60), .seconds(90), .seconds(600)]
        for number in 1...60 {
            let task = Samples.freshTask()
            let pair = LedgerPair(plain: memory, stored: fixture.ledger, task: task)
            let (plan, segment) = (fixture.makePlan(), fixture.segment)
            let offsets = (0..<40).map { UInt16($0) * 100 }.filter { _ in random.next() % 3 != 0 }
            _ = try await pair.ask { try await $0.plan(task, as: plan) }
            _ = try await pair.ask { try await $0.mark(SegmentSet(offsets), of: task, in: segment) }
            for claim in 0..<2 {
                let cap = PushCap(
                    count: 1 + Int(random.next() % 3), period: periods[Int(random.next() % UInt64(periods.count))])
                let request = fixture.request(
                    UInt64(number * 2 + claim), offsets: offsets.filter { _ in random.next() % 2 == 0 },
                    badges: random.next() % 2 == 0, cap: random.next() % 5 == 0 ? nil : cap)
                _ = try await pair.ask { try await $0.claim(request, of: task, in: segment) }
            }
            fixture.time.advance(by: .milliseconds(Int64(random.next() % 40_000)))
        }
    }
}

extension LedgerFixture {
    /// New tasks that each mark these devices.
    fileprivate func tasks(_ count: Int, marking offsets: [UInt16]) async throws -> [TaskID] {
        var tasks: [TaskID] = []
        for _ in 0..<count {
            let task = Samples.freshTask()
            _ = try await ledger.plan(task, as: makePlan())
            _ = try await ledger.mark(SegmentSet(offsets), of: task, in: segment)
            tasks.append(task)
        }
        return tasks
    }

    fileprivate func claim(
        _ number: UInt64, of task: TaskID, offsets: [UInt16], attempt: UInt8 = 0, badges: Bool = false,
        kind: ClaimRequest.Kind = .attempt, cap: PushCap? = nil, deadline: Timestamp? = nil
    ) async throws -> [ClaimAnswer] {
        let request = request(
            number, offsets: offsets, attempt: attempt, badges: badges, kind: kind, cap: cap, deadline: deadline)
        guard case .answers(let answers) = try await ledger.claim(request, of: task, in: segment) else { return [] }
        return answers
    }

    fileprivate func wait(_ number: UInt64, of task: TaskID, offset: UInt16, attempt: UInt8) async throws {
        let group = Settlement.Group(offsets: [offset], state: .waiting, attempt: attempt)
        let settlement = Settlement(claim: ClaimID(owner: 7, number: number), groups: [group])
        #expect(try await ledger.settle(settlement, of: task, in: segment) == .settled(refused: SegmentSet()))
    }

    /// When a device that is claimed now, with a cap of one push, may get the next.
    fileprivate func capEnd(_ cap: PushCap) -> Timestamp {
        Timestamp(milliseconds: (time.now.milliseconds + 999) / 1_000 * 1_000) + cap.period
    }
}
