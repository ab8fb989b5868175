import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// Details stored for single devices.
@Suite(.timeLimit(.minutes(5))) struct LedgerDetailTests {
    @Test(arguments: StoreKind.allCases)
    func aBigTaskRemembersWhatWasNotPlainlyDelivered(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin(0..<600)
        _ = try await fixture.claim(1, offsets: Array(0..<64))
        try await fixture.settle(1, offsets: [0], as: .delivered, status: 200)
        try await fixture.settle(1, offsets: [1], as: .invalid, status: 410, reason: "Unregistered")
        try await fixture.settle(1, offsets: [2], as: .waiting, attempt: 1, status: 503, reason: "Busy")
        try await fixture.settle(1, offsets: [3], as: .waiting, attempt: 0, reason: "given back")
        let now = fixture.time.now
        #expect(try await fixture.detail(0) == nil)
        #expect(
            try await fixture.detail(1)
                == OutcomeDetail(state: .invalid, attempt: 0, time: now, status: 410, reason: "Unregistered"))
        #expect(
            try await fixture.detail(2)
                == OutcomeDetail(state: .waiting, attempt: 1, time: now, status: 503, reason: "Busy"))
        #expect(try await fixture.detail(3) == nil)
        #expect(try await fixture.detail(4) == nil)
        _ = try await fixture.claim(2, offsets: [2], attempt: 1)
        fixture.time.advance(by: .seconds(1))
        // An attempt number below the claim's counts as the claim's.
        try await fixture.settle(2, offsets: [2], as: .delivered, attempt: 0)
        #expect(
            try await fixture.detail(2)
                == OutcomeDetail(state: .delivered, attempt: 1, time: fixture.time.now, status: 0, reason: ""))
    }

    /// The time of the next attempt is returned for as long as the device waits, regardless of its reason and of the
    /// number of other devices in its ledger.
    @Test(arguments: StoreKind.allCases, ["", "Busy", "A reason of some length"])
    func aWaitingDeviceTellsWhenItIsDue(kind: StoreKind, reason: String) async throws {
        for offsets: [UInt16] in [[4], [4, 9]] {
            let fixture = try await kind.ledger()
            try await fixture.begin(offsets, isFast: true)
            _ = try await fixture.claim(1, offsets: [4])
            let (now, due) = (fixture.time.now, fixture.time.now + .milliseconds(14_256))
            try await fixture.settle(1, offsets: [4], as: .waiting, attempt: 1, status: 503, reason: reason, due: due)
            #expect(
                try await fixture.detail(4)
                    == OutcomeDetail(state: .waiting, attempt: 1, time: now, status: 503, reason: reason, due: due))
            _ = try await fixture.claim(2, offsets: [4], attempt: 1)
            let detail = try #require(try await fixture.detail(4))
            #expect(detail.due == nil && detail.reason == reason)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSmallTaskRemembersEverybody(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([4, 9], isFast: true)
        _ = try await fixture.claim(1, offsets: [4, 9])
        try await fixture.settle(1, offsets: [4, 9], status: 200, reason: "OK")
        for offset: UInt16 in [4, 9] {
            #expect(
                try await fixture.detail(offset)
                    == OutcomeDetail(state: .delivered, attempt: 0, time: fixture.time.now, status: 200, reason: "OK"))
        }
        #expect(try await fixture.detail(5) == nil)
    }

    /// For the only device of a ledger and for one of several.
    @Test(arguments: StoreKind.allCases, [[4], [4, 9]] as [[UInt16]])
    func aDetailHasTheTimeOfTheAttempt(kind: StoreKind, offsets: [UInt16]) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin(offsets, isFast: true)
        _ = try await fixture.claim(1, offsets: offsets)
        let attempted = fixture.time.now
        fixture.time.advance(by: .seconds(20))
        try await fixture.settle(1, offsets: [4], as: .invalid, status: 410, reason: "Gone", attempted: attempted)
        #expect(try await fixture.detail(4)?.time == attempted)
    }

    /// Goal: the detail and attempt of a ledger's only device are kept when other devices are added.
    @Test(arguments: StoreKind.allCases)
    func aDeviceThatWasAloneKeepsItsDetail(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([4_095], jobs: 2)
        #expect(try await fixture.detail(4_095) == nil)
        _ = try await fixture.claim(1, offsets: [4_095])
        try await fixture.settle(
            1, offsets: [4_095], as: .waiting, attempt: 2, status: 500, reason: "A reason of some length")
        try await fixture.begin([4_095], jobs: 2)
        #expect(try await fixture.claim(2, offsets: [4_095], attempt: 1) == [.superseded])
        let detail = try #require(try await fixture.detail(4_095))
        #expect(detail.reason == "A reason of some length")
        _ = try await fixture.mark([0])
        #expect(try await fixture.detail(4_095) == detail)
        #expect(try await fixture.detail(0) == nil)
        #expect(try await fixture.claim(2, offsets: [4_095, 0], attempt: 1) == [.superseded, .claimed(badge: nil)])
        #expect(try await fixture.claim(3, offsets: [4_095], attempt: 2) == [.claimed(badge: nil)])
        try await fixture.settle(3, offsets: [4_095], as: .failed, attempt: 2, reason: "short")
        #expect(try await fixture.detail(4_095)?.reason == "short")
        #expect(try await fixture.states() == [0: .claimed, 4_095: .failed])
    }

    @Test(arguments: StoreKind.allCases)
    func aReasonIsCutBetweenCharacters(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2])
        _ = try await fixture.claim(1, offsets: [1, 2])
        try await fixture.settle(1, offsets: [1], as: .failed, reason: String(repeating: "ä", count: 40))
        try await fixture.settle(1, offsets: [2], as: .failed, reason: "x" + String(repeating: "ä", count: 40))
        #expect(try await fixture.detail(1)?.reason == String(repeating: "ä", count: 32))
        #expect(try await fixture.detail(2)?.reason == "x" + String(repeating: "ä", count: 31))
    }
}
