import PushModel
import Store
import TestSupport
import Testing

/// Claims of devices and the states that senders settle them in.
@Suite(.timeLimit(.minutes(5))) struct LedgerClaimTests {
    @Test(arguments: StoreKind.allCases)
    func aMarkedDeviceIsClaimedOnce(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3])
        #expect(try await fixture.claim(1, offsets: [2, 1]) == [.claimed(badge: nil), .claimed(badge: nil)])
        fixture.time.advance(by: .milliseconds(1_500))
        let held = ClaimAnswer.held(for: LedgerFixture.lease - .milliseconds(1_500))
        #expect(try await fixture.claim(2, offsets: [1, 2, 3, 9]) == [held, held, .claimed(badge: nil), .unmarked])
        #expect(try await fixture.states() == [1: .claimed, 2: .claimed, 3: .claimed])
        #expect(
            try await fixture.ledger.claim(fixture.request(3, offsets: []), of: fixture.task, in: fixture.segment)
                == .answers([]))
    }

    @Test(arguments: StoreKind.allCases)
    func whoAsksAgainIsAnsweredAgain(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([5, 6])
        let first = try await fixture.claim(1, offsets: [5, 6], badges: true)
        #expect(first == [.claimed(badge: 1), .claimed(badge: 1)])
        fixture.letLeasesDie()
        #expect(try await fixture.claim(1, offsets: [5, 6], badges: true) == first)
        #expect(try await fixture.claim(2, offsets: [5]) == [LedgerFixture.held])
        #expect(try await fixture.claim(1, offsets: [5, 5]) == [.claimed(badge: nil), .claimed(badge: nil)])
    }

    @Test(arguments: StoreKind.allCases)
    func endedDevicesAreAnsweredWithTheirState(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let ends: [DeliveryState] = DeliveryState.allCases.filter(\.isTerminal)
        let offsets = (0..<UInt16(ends.count)).map { $0 * 3 }
        try await fixture.begin(offsets)
        _ = try await fixture.claim(1, offsets: offsets)
        for (offset, state) in zip(offsets, ends) {
            #expect(try await fixture.settle(1, offsets: [offset], as: state) == [])
        }
        #expect(try await fixture.claim(2, offsets: offsets, attempt: 9) == ends.map { .ended($0) })
    }

    @Test(arguments: StoreKind.allCases)
    func anOlderMessageIsSuperseded(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3])
        _ = try await fixture.claim(1, offsets: [1, 2, 3])
        try await fixture.settle(1, offsets: [1, 2, 3], as: .waiting, attempt: 2)
        #expect(try await fixture.claim(2, offsets: [1], attempt: 1) == [.superseded])
        #expect(try await fixture.claim(3, offsets: [1], attempt: 2) == [.claimed(badge: nil)])
        #expect(try await fixture.claim(4, offsets: [1], attempt: 1) == [.superseded])
        #expect(try await fixture.claim(4, offsets: [1], attempt: 3) == [LedgerFixture.held])
        fixture.letLeasesDie()
        #expect(try await fixture.claim(5, offsets: [1], attempt: 1) == [.superseded])
        #expect(
            try await fixture.claim(6, offsets: [2, 3], attempt: 200) == [.claimed(badge: nil), .claimed(badge: nil)])
    }

    @Test(arguments: StoreKind.allCases)
    func aRetryTakesWhatItsDeadHolderHadGivenUp(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2], policy: .atMostOnce)
        _ = try await fixture.claim(1, offsets: [1, 2])
        #expect(try await fixture.claim(2, offsets: [1], attempt: 1) == [LedgerFixture.held])
        fixture.letLeasesDie()
        #expect(try await fixture.claim(2, offsets: [1], attempt: 1) == [.claimed(badge: nil)])
        #expect(try await fixture.settle(1, offsets: [1, 2]) == [1])
        #expect(try await fixture.settle(2, offsets: [1]) == [])
        #expect(try await fixture.states() == [1: .delivered, 2: .delivered])
    }

    @Test(arguments: StoreKind.allCases)
    func aDeadClaimIsSentAgainWhereThatIsAllowed(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2], policy: .atLeastOnce)
        _ = try await fixture.claim(1, offsets: [1, 2])
        fixture.letLeasesDie()
        #expect(try await fixture.claim(2, offsets: [2]) == [.claimed(badge: nil)])
        #expect(try await fixture.settle(1, offsets: [1, 2], as: .failed) == [2])
        #expect(try await fixture.states() == [1: .failed, 2: .claimed])
    }

    @Test(arguments: StoreKind.allCases)
    func aDeadClaimIsUnknownWhereNothingMayBeSentTwice(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2], policy: .atMostOnce)
        _ = try await fixture.claim(1, offsets: [1, 2])
        fixture.letLeasesDie()
        #expect(try await fixture.claim(2, offsets: [2]) == [.ended(.unknown)])
        #expect(try await fixture.settle(1, offsets: [1, 2]) == [2])
        #expect(try await fixture.states() == [1: .delivered, 2: .unknown])
        #expect(
            try await fixture.ledger.renew(
                fixture.request(1, offsets: []).id, for: .seconds(9), of: fixture.task, in: fixture.segment) == false)
    }

    @Test(arguments: StoreKind.allCases)
    func aCancelledTaskSendsNothingMore(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3, 4])
        _ = try await fixture.claim(1, offsets: [2, 3, 4])
        _ = try await fixture.ledger.cancel(fixture.task, in: fixture.segment)
        try await fixture.settle(1, offsets: [4], as: .waiting, attempt: 1)
        #expect(
            try await fixture.claim(2, offsets: [1, 2, 4], attempt: 0)
                == [.ended(.cancelled), LedgerFixture.held, .ended(.cancelled)])
        fixture.letLeasesDie()
        // First message: unknown whether it was sent. Retry: it was not delivered.
        #expect(try await fixture.claim(2, offsets: [2]) == [.ended(.unknown)])
        #expect(try await fixture.claim(2, offsets: [3], attempt: 1) == [.ended(.cancelled)])
    }

    @Test(arguments: StoreKind.allCases)
    func nothingIsSentAfterTheDeadline(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3, 4])
        _ = try await fixture.claim(1, offsets: [2, 3, 4])
        try await fixture.settle(1, offsets: [4], as: .waiting, attempt: 1)
        fixture.passDeadline()
        #expect(try await fixture.claim(2, offsets: [1]) == [.ended(.expired)])
        #expect(try await fixture.claim(2, offsets: [2]) == [.ended(.unknown)])
        #expect(try await fixture.claim(2, offsets: [3], attempt: 1) == [.ended(.expired)])
        #expect(try await fixture.claim(2, offsets: [4], attempt: 0) == [.ended(.expired)])
    }

    @Test(arguments: StoreKind.allCases)
    func settlingEndsTheClaimForTheseOnly(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin(10..<20)
        _ = try await fixture.claim(1, offsets: Array(10..<18))
        #expect(try await fixture.settle(1, offsets: [10, 12, 19, 30]) == [19, 30])
        #expect(try await fixture.settle(1, offsets: [10, 11], as: .failed) == [10])
        #expect(try await fixture.settle(2, offsets: [13]) == [13])
        let group = Settlement.Group(offsets: [13, 13], state: .invalid, attempt: 0)
        let both = Settlement(claim: ClaimID(owner: 7, number: 1), groups: [group, group])
        let verdict = try await fixture.ledger.settle(both, of: fixture.task, in: fixture.segment)
        #expect(verdict == .settled(refused: SegmentSet([13])))
        let snapshot = try #require(try await fixture.ledger.states(of: fixture.task, in: fixture.segment))
        #expect(snapshot.states[10] == .delivered)
        #expect(snapshot.states[11] == .failed)
        #expect(snapshot.states[13] == .invalid)
        #expect(snapshot.counts[.claimed] == 4)
        #expect(snapshot.counts[.targeted] == 2)
        #expect(snapshot.counts[.delivered] == 2)
        #expect(snapshot.counts.targeted == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeadLeaseAloneLosesNothing(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1])
        _ = try await fixture.claim(1, offsets: [1])
        fixture.letLeasesDie()
        #expect(try await fixture.settle(1, offsets: [1]) == [])
        #expect(try await fixture.state(1) == .delivered)
    }

    @Test(arguments: StoreKind.allCases)
    func aRenewedLeaseLives(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let id = fixture.request(1, offsets: []).id
        let (task, segment) = (fixture.task, fixture.segment)
        try await fixture.begin([1, 2])
        #expect(try await fixture.ledger.renew(id, for: .seconds(60), of: task, in: segment) == false)
        _ = try await fixture.claim(1, offsets: [1, 2], attempt: 1)
        fixture.letLeasesDie()
        #expect(try await fixture.ledger.renew(id, for: .seconds(60), of: task, in: segment))
        fixture.time.advance(by: .seconds(59))
        let held = ClaimAnswer.held(for: .seconds(1))
        #expect(try await fixture.claim(2, offsets: [1, 2], attempt: 1) == [held, held])
        fixture.time.advance(by: .seconds(1))
        #expect(try await fixture.claim(2, offsets: [1], attempt: 1) == [.claimed(badge: nil)])
        #expect(try await fixture.ledger.renew(id, for: .seconds(60), of: task, in: segment))
        try await fixture.settle(1, offsets: [2])
        #expect(try await fixture.ledger.renew(id, for: .seconds(60), of: task, in: segment) == false)
    }

    @Test(arguments: StoreKind.allCases)
    func aBadgeCountsWithTheFirstClaimEver(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let offsets: [UInt16] = [0, 127, 128, 4_000]
        try await fixture.begin(offsets)
        let ones = [ClaimAnswer](repeating: .claimed(badge: 1), count: 4)
        #expect(try await fixture.claim(1, offsets: offsets, badges: true) == ones)
        // Returned unsent, claimed again after a lost claim, retried: the phone shows the same badge as before.
        try await fixture.settle(1, offsets: [0], as: .waiting, attempt: 0)
        try await fixture.settle(1, offsets: [127], as: .waiting, attempt: 1)
        fixture.letLeasesDie()
        #expect(try await fixture.claim(2, offsets: [0, 128, 4_000], badges: true) == Array(ones.prefix(3)))
        #expect(try await fixture.claim(2, offsets: [127], attempt: 1, badges: true) == [.claimed(badge: 1)])
        let other = TaskID(high: 1, low: fixture.task.low)
        _ = try await fixture.ledger.plan(other, as: fixture.makePlan())
        _ = try await fixture.ledger.mark(SegmentSet([128]), of: other, in: fixture.segment)
        let request = fixture.request(3, offsets: [128], badges: true)
        let verdict = try await fixture.ledger.claim(request, of: other, in: fixture.segment)
        #expect(verdict == .answers([.claimed(badge: 2)]))
    }

    /// Goal: a bucket whose devices are all rejected does not shift the badges of the devices after it.
    @Test(arguments: StoreKind.allCases)
    func badgesOfSkippedBucketsStayInPlace(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([5, 300])
        _ = try await fixture.claim(1, offsets: [5], badges: true)
        let answers = try await fixture.claim(2, offsets: [5, 200, 300], badges: true)
        #expect(answers == [LedgerFixture.held, .unmarked, .claimed(badge: 1)])
        try await fixture.settle(2, offsets: [300], as: .waiting)
        #expect(try await fixture.claim(3, offsets: [300], badges: true) == [.claimed(badge: 1)])
        // A device that was returned without a counted badge has no badge to show.
        try await fixture.begin([300, 301])
        _ = try await fixture.claim(4, offsets: [301])
        try await fixture.settle(4, offsets: [301], as: .waiting)
        #expect(try await fixture.claim(5, offsets: [301], badges: true) == [.claimed(badge: nil)])
    }

    @Test(arguments: StoreKind.allCases)
    func withoutALedgerNothingIsSent(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (task, segment) = (fixture.task, fixture.segment)
        let request = fixture.request(1, offsets: [1], badges: true)
        #expect(try await fixture.ledger.claim(request, of: task, in: segment) == .missing)
        #expect(try await fixture.settle(1, offsets: [1]) == nil)
        #expect(try await fixture.ledger.renew(request.id, for: .seconds(1), of: task, in: segment) == false)
        #expect(try await fixture.ledger.states(of: task, in: segment) == nil)
        #expect(try await fixture.detail(1) == nil)
        #expect(try await fixture.ledger.expire(task, in: segment, untried: .expired) == [:])
    }
}
