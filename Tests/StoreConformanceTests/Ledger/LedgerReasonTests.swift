import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// The counts by reason: of each device that was not delivered, why.
@Suite(.timeLimit(.minutes(5))) struct LedgerReasonTests {
    private typealias Reason = ReasonCounts.Reason

    private func close(_ fixture: LedgerFixture) async throws -> [ReasonCounts.Reason: Int] {
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        let progress = try await fixture.ledger.close([fixture.segment], of: fixture.task)
        #expect(progress?.closed != nil)
        let read = try await fixture.ledger.progress(of: fixture.task)
        #expect(read == progress)
        return progress?.reasons.counts ?? [:]
    }

    /// A delivery has no reason, nor has an ending about which its sender recorded nothing; a device that expired
    /// after an attempt has that of the attempt.
    @Test(arguments: StoreKind.allCases, [10, 900])
    func devicesAreCountedByReason(kind: StoreKind, count: UInt16) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin(0..<count, isFast: count < 100)
        _ = try await fixture.claim(1, offsets: Array(0..<9))
        try await fixture.settle(1, offsets: [0, 1], status: 200, reason: "queued", provider: .apns)
        try await fixture.settle(1, offsets: [2, 3], as: .failed, status: 400, reason: "BadTopic", provider: .apns)
        try await fixture.settle(1, offsets: [4], as: .failed, status: 400, reason: "BadTopic", provider: .apns)
        try await fixture.settle(1, offsets: [5], as: .invalid, status: 410, provider: .fcm)
        try await fixture.settle(1, offsets: [6], as: .failed)
        let due = fixture.time.now + .seconds(5)
        try await fixture.settle(
            1, offsets: [7, 8], as: .waiting, attempt: 1, status: 503, reason: "Búsy", due: due, provider: .fcm)
        fixture.time.advance(by: LedgerFixture.deadline)
        _ = try await fixture.ledger.expire(fixture.task, in: fixture.segment, untried: .expired)
        #expect(
            try await close(fixture) == [
                Reason(.failed, status: 400, text: "BadTopic"): 3, Reason(.invalid, status: 410, text: ""): 1,
                Reason(.expired, status: 503, text: "Búsy"): 2,
            ])
    }

    /// The detail of a ledger's only device is in another place, and may have its provider or its next time behind it.
    @Test(arguments: StoreKind.allCases, [true, false])
    func theReasonOfTheOnlyDeviceIsCounted(kind: StoreKind, isFast: Bool) async throws {
        for (expires, provider) in [(false, PushProtocol?.none), (false, .fcm), (true, .fcm)] {
            let fixture = try await kind.ledger()
            try await fixture.begin([4_095], isFast: isFast)
            _ = try await fixture.claim(1, offsets: [4_095])
            let due = fixture.time.now + .seconds(5)
            try await fixture.settle(
                1, offsets: [4_095], as: expires ? .waiting : .failed, attempt: 1, status: 500, reason: "Oops",
                due: expires ? due : nil, provider: provider)
            if expires {
                fixture.time.advance(by: LedgerFixture.deadline)
                _ = try await fixture.ledger.expire(fixture.task, in: fixture.segment, untried: .expired)
            }
            let state: DeliveryState = expires ? .expired : .failed
            #expect(try await close(fixture) == [Reason(state, status: 500, text: "Oops"): 1])
        }
    }

    /// Segments are added up, whichever is closed first, and one that is closed twice counts once.
    @Test(arguments: StoreKind.allCases)
    func theSegmentsOfATaskAreAddedUp(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let other = SegmentID(fixture.segment.app, number: SegmentNumber(rawValue: 1))
        try await fixture.begin([1, 2], jobs: 2)
        _ = try await fixture.ledger.mark(SegmentSet([4, 5]), of: fixture.task, in: other)
        _ = try await fixture.claim(1, offsets: [1, 2])
        try await fixture.settle(1, offsets: [1, 2], as: .failed, status: 400, reason: "BadTopic")
        _ = try await fixture.ledger.claim(fixture.request(2, offsets: [4, 5]), of: fixture.task, in: other)
        let groups = [
            Settlement.Group(offsets: [4], state: .failed, attempt: 0, status: 400, reason: "BadTopic"),
            Settlement.Group(offsets: [5], state: .invalid, attempt: 0, status: 404, reason: "Gone"),
        ]
        _ = try await fixture.ledger.settle(
            Settlement(claim: ClaimID(owner: 7, number: 2), groups: groups), of: fixture.task, in: other)
        for job in 0..<2 { try await fixture.ledger.resolve(job: job, of: fixture.task) }
        let first = try await fixture.ledger.close([other], of: fixture.task)
        #expect(first?.reasons.counts.count == 2 && first?.closed == nil)
        let whole = try await fixture.ledger.close([other, fixture.segment], of: fixture.task)
        #expect(
            whole?.reasons.counts == [
                Reason(.failed, status: 400, text: "BadTopic"): 3, Reason(.invalid, status: 404, text: "Gone"): 1,
            ])
    }

    /// A provider may answer each device with a text of its own.
    @Test(arguments: StoreKind.allCases)
    func tooManyReasonsAreAddedUp(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin(0..<100)
        _ = try await fixture.claim(1, offsets: Array(0..<100))
        for offset in UInt16(0)..<100 {
            try await fixture.settle(
                1, offsets: [offset], as: offset < 90 ? .failed : .invalid, status: 400, reason: "no \(offset)")
        }
        let counts = try await close(fixture)
        #expect(counts.values.reduce(0, +) == 100)
        #expect(counts.keys.count { $0.text != ReasonCounts.other } == ReasonCounts.reasonsMaximum)
        #expect(counts.count <= ReasonCounts.reasonsMaximum + 2)
    }
}
