import PushModel
import RedisClient
import ServiceKit
import Store
import TestSupport
import Testing

/// Devices that wait for a time of their own, and their release.
@Suite(.timeLimit(.minutes(5))) struct LedgerDeferralTests {
    private static let hour = Duration.seconds(3_600)

    /// Goal: each operation on each state. Method: one device in every state, told apart by its offset; the answers to
    /// deferrals, marks and claims of both kinds are compared with a table.
    @Test(arguments: StoreKind.allCases)
    func everyStateAnswersEveryOperation(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let due = fixture.time.now + .seconds(60)
        let (targeted, claimed, waiting, delivered, deferred): (UInt16, UInt16, UInt16, UInt16, UInt16) = (
            1, 2, 3, 4, 5
        )
        let all = [targeted, claimed, waiting, delivered, deferred]
        try await fixture.begin(all)
        _ = try await fixture.claim(1, offsets: [claimed, waiting, delivered])
        try await fixture.settle(1, offsets: [waiting], as: .waiting, attempt: 1)
        try await fixture.settle(1, offsets: [delivered])
        #expect(try await fixture.defer([deferred], until: due) == [deferred])

        #expect(try await fixture.mark(all) == .open(SegmentSet([targeted, claimed, waiting])))
        #expect(
            try await fixture.claim(2, offsets: [claimed, delivered, deferred])
                == [LedgerFixture.held, .ended(.delivered), .superseded])
        #expect(try await fixture.claim(3, offsets: [deferred], attempt: 1) == [.superseded])
        let undeferred = ClaimAnswer.held(for: ClaimRequest.undeferredPause)
        #expect(
            try await fixture.release(4, offsets: [targeted, claimed, waiting, delivered, 9])
                == [undeferred, LedgerFixture.held, .superseded, .ended(.delivered), .unmarked])
        #expect(try await fixture.defer(all + [9], until: due + .seconds(1)) == [targeted, deferred])
        #expect(
            try await fixture.states() == [
                targeted: .deferred, claimed: .claimed, waiting: .waiting, delivered: .delivered, deferred: .deferred,
            ])
        let snapshot = try #require(try await fixture.ledger.states(of: fixture.task, in: fixture.segment))
        #expect(snapshot.counts[.deferred] == 2 && snapshot.counts.open == 4 && snapshot.counts.targeted == 5)
        #expect(try await fixture.release(5, offsets: [targeted]) == [.claimed(badge: nil)])
        #expect(try await fixture.settle(5, offsets: [targeted, deferred]) == [deferred])
        #expect(try await fixture.progress()?.counts.open == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeferralIsCountedByItsCause(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let now = fixture.time.now
        try await fixture.begin(0..<1_000)
        #expect(try await fixture.summary() == DeferralSummary())
        let (morning, noon) = (now + .seconds(100), now + .seconds(200))
        let groups = [
            Deferral(offsets: Array(0..<200), cause: .quietHours, due: noon),
            // Devices that are named before keep their first group.
            Deferral(offsets: Array(100..<300), cause: .quietHours, due: morning),
            Deferral(offsets: [500, 502, 504], cause: .rate, due: now + .seconds(1)),
        ]
        let deferred = try await fixture.ledger.defer(groups, of: fixture.task, in: fixture.segment)
        #expect(deferred == SegmentSet(Array(0..<300) + [500, 502, 504]))
        #expect(
            try await fixture.summary().parts == [
                .quietHours: .init(devices: 300, next: morning), .rate: .init(devices: 3, next: now + .seconds(1)),
            ])
        // Part of a group, all of one, and a part of each of two.
        _ = try await fixture.release(1, offsets: Array(250..<300))
        _ = try await fixture.release(2, offsets: [500, 502, 504])
        #expect(try await fixture.summary().parts == [.quietHours: .init(devices: 250, next: morning)])
        _ = try await fixture.release(3, offsets: Array(190..<250))
        #expect(try await fixture.summary().parts == [.quietHours: .init(devices: 190, next: noon)])
        _ = try await fixture.release(4, offsets: Array(0..<190))
        #expect(try await fixture.summary() == DeferralSummary())
        if let redis = fixture.redis { #expect(try await !fixture.hasDeferralKey(redis)) }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeviceDeferredAgainHasOnlyItsLastDeferral(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let start = fixture.time.now
        try await fixture.begin([7, 8])
        try await fixture.defer([7, 8], until: start + .seconds(10), cause: .localTime)
        fixture.time.advance(by: .seconds(10))
        try await fixture.defer([7], until: start + .seconds(90), cause: .cap)
        #expect(
            try await fixture.summary().parts == [
                .localTime: .init(devices: 1, next: start + .seconds(10)),
                .cap: .init(devices: 1, next: start + .seconds(90)),
            ])
        #expect(
            try await fixture.detail(7)
                == OutcomeDetail(
                    state: .deferred, attempt: 0, time: start + .seconds(10), status: 0, reason: "cap",
                    due: start + .seconds(90)))
        #expect(try await fixture.detail(8)?.reason == "local_time")
        #expect(try await fixture.detail(8)?.time == start)
        _ = try await fixture.release(1, offsets: [7])
        #expect(try await fixture.detail(7) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aReleaseIsAFirstClaim(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let offsets: [UInt16] = [0, 128, 4_000]
        try await fixture.begin(offsets, policy: .atMostOnce)
        try await fixture.defer(offsets, until: fixture.time.now)
        let ones = [ClaimAnswer](repeating: .claimed(badge: 1), count: 3)
        #expect(try await fixture.release(1, offsets: offsets, badges: true) == ones)
        // Repeated; then by a sender that gets the same message again, while the claim is live and after it died.
        #expect(try await fixture.release(1, offsets: offsets, badges: true) == ones)
        #expect(try await fixture.release(2, offsets: [0]) == [LedgerFixture.held])
        try await fixture.settle(1, offsets: [128], as: .waiting, attempt: 0)
        #expect(try await fixture.release(3, offsets: [128]) == [.superseded])
        #expect(try await fixture.claim(3, offsets: [128], badges: true) == [.claimed(badge: 1)])
        fixture.letLeasesDie()
        #expect(try await fixture.release(4, offsets: [0]) == [.ended(.unknown)])
    }

    @Test(arguments: StoreKind.allCases)
    func aReleaseNeverOutranksAClaim(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2])
        _ = try await fixture.claim(1, offsets: [1, 2], attempt: 1)
        #expect(try await fixture.release(2, offsets: [1]) == [.superseded])
        fixture.letLeasesDie()
        #expect(try await fixture.release(2, offsets: [1]) == [.superseded])
        #expect(try await fixture.state(1) == .claimed)
    }

    /// Goal: a claim and a deferral of the same devices at the same time leave each device with one of them. Method:
    /// both are sent at once, many times; a device is in the claim's answer or in the deferral's, never in both.
    @Test(arguments: StoreKind.allCases)
    func aClaimRacingADeferralLeavesOneOfThem(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin(0..<400)
        for round in 0..<40 {
            let offsets = Array(UInt16(round * 10)..<UInt16(round * 10 + 10))
            async let claimed = fixture.claim(UInt64(round + 1), offsets: offsets)
            async let deferred = fixture.defer(offsets, until: fixture.time.now)
            let (answers, waiting) = try await (claimed, deferred)
            let taken = zip(offsets, answers).filter { $1 == .claimed(badge: nil) }.map(\.0)
            #expect((taken + waiting).sorted() == offsets)
        }
        #expect(try await fixture.progress()?.counts.open == 400)
    }

    @Test(arguments: StoreKind.allCases)
    func aCancelEndsDeferredDevices(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3], isFast: true)
        try await fixture.defer([1, 2], until: fixture.time.now + LedgerDeferralTests.hour)
        #expect(try await fixture.ledger.openSegments(of: fixture.task) == [fixture.segment])
        let ended = try await fixture.ledger.cancel(fixture.task, in: fixture.segment)
        #expect(ended == SegmentSet([1, 2, 3]))
        #expect(try await fixture.summary() == DeferralSummary())
        #expect(try await fixture.release(1, offsets: [1]) == [.ended(.cancelled)])
        #expect(try await fixture.defer([1], until: fixture.time.now) == [])
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        let progress = try await fixture.ledger.close([fixture.segment], of: fixture.task)
        #expect(progress?.closed != nil && progress?.counts[.cancelled] == 3)
        #expect(
            try await fixture.ledger.outcomes(of: fixture.task)?.devices.map(\.state) == [
                .cancelled, .cancelled, .cancelled,
            ])
        if let redis = fixture.redis { #expect(try await !fixture.hasDeferralKey(redis)) }
    }

    @Test(arguments: StoreKind.allCases)
    func theDeadlineEndsDeferredDevices(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3])
        try await fixture.defer([1, 2, 3], until: fixture.time.now + LedgerDeferralTests.hour)
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        #expect(try await fixture.ledger.close([fixture.segment], of: fixture.task)?.closed == nil)
        fixture.passDeadline()
        #expect(try await fixture.release(1, offsets: [1]) == [.ended(.expired)])
        #expect(try await fixture.claim(2, offsets: [2]) == [.ended(.expired)])
        let swept = try await fixture.ledger.expire(fixture.task, in: fixture.segment, untried: .expired)
        #expect(swept == [.expired: SegmentSet([3])])
        #expect(try await fixture.summary() == DeferralSummary())
        #expect(
            try await fixture.ledger.unreported(of: fixture.task, in: fixture.segment).map(\.index.offset) == [1, 2, 3])
        #expect(try await fixture.ledger.close([fixture.segment], of: fixture.task)?.closed != nil)
        if let redis = fixture.redis { #expect(try await !fixture.hasDeferralKey(redis)) }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeviceHasALifeOfItsOwn(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let end = fixture.time.now + .seconds(20)
        try await fixture.begin([1, 2, 3, 4, 5])
        try await fixture.defer([1, 2, 3], until: fixture.time.now)
        #expect(
            try await fixture.release(1, offsets: [1, 2], deadline: end) == [
                .claimed(badge: nil), .claimed(badge: nil),
            ])
        try await fixture.settle(1, offsets: [1], as: .waiting, attempt: 1)
        fixture.time.advance(by: .seconds(20))
        // The device that waits again, the one that still waits, and others of the task, which live on.
        #expect(try await fixture.claim(2, offsets: [1], attempt: 1, deadline: end) == [.ended(.expired)])
        #expect(try await fixture.release(3, offsets: [3], deadline: end) == [.ended(.expired)])
        #expect(try await fixture.claim(4, offsets: [4], deadline: end) == [.ended(.expired)])
        #expect(try await fixture.claim(5, offsets: [5]) == [.claimed(badge: nil)])
        // Not by a message that is not the device's.
        #expect(try await fixture.claim(6, offsets: [2], deadline: end) == [.held(for: .seconds(10))])
        fixture.letLeasesDie()
        #expect(try await fixture.release(7, offsets: [2], deadline: end) == [.ended(.unknown)])
    }

    /// A deferred device is not ended by the message of an earlier life, only by its task's deadline.
    @Test(arguments: StoreKind.allCases)
    func aMessageOfAnotherKindEndsNoDeferredDevice(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1])
        try await fixture.defer([1], until: fixture.time.now)
        let past = fixture.time.now + .seconds(-1)
        #expect(try await fixture.claim(1, offsets: [1], deadline: past) == [.superseded])
        #expect(try await fixture.claim(1, offsets: [1], attempt: 3, deadline: past) == [.superseded])
        #expect(try await fixture.state(1) == .deferred)
    }

    @Test(arguments: StoreKind.allCases)
    func aMissingLedgerDefersNothing(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        #expect(try await fixture.defer([1], until: fixture.time.now) == [])
        #expect(try await fixture.ledger.defer([], of: fixture.task, in: fixture.segment) == SegmentSet())
        #expect(try await fixture.ledger.states(of: fixture.task, in: fixture.segment) == nil)
    }
}

extension LedgerFixture {
    @discardableResult
    func `defer`(
        _ offsets: [UInt16], until due: Timestamp, cause: DeferralCause = .quietHours
    ) async throws -> [UInt16] {
        let group = Deferral(offsets: offsets, cause: cause, due: due)
        return try await ledger.defer([group], of: task, in: segment).offsets
    }

    /// Claims devices with the message that releases them.
    func release(
        _ number: UInt64, offsets: [UInt16], badges: Bool = false, deadline: Timestamp? = nil
    ) async throws -> [ClaimAnswer] {
        try await claim(number, offsets: offsets, badges: badges, kind: .deferral, deadline: deadline)
    }

    func summary() async throws -> DeferralSummary {
        try await ledger.deferrals(of: task, in: [segment, SegmentID(segment.app, number: SegmentNumber(rawValue: 9))])
    }

    func progress() async throws -> TaskProgress? {
        try await ledger.progress(of: task)
    }

    func hasDeferralKey(_ redis: RedisClient) async throws -> Bool {
        try await redis.send(RedisCommand("EXISTS", "dfr:{\(segment)}:\(task.key)")) == .integer(1)
    }
}
