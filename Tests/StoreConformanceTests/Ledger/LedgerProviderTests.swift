import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// The counts by provider: of each device that a settlement ended, once.
@Suite(.timeLimit(.minutes(5))) struct LedgerProviderTests {
    private func close(_ fixture: LedgerFixture) async throws -> [PushProtocol: OutcomeCounts] {
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        let progress = try await fixture.ledger.close([fixture.segment], of: fixture.task)
        #expect(progress?.closed != nil)
        let again = try await fixture.ledger.close([fixture.segment], of: fixture.task)
        #expect(again == progress)
        let read = try await fixture.ledger.progress(of: fixture.task)
        #expect(read == progress)
        return progress?.providers ?? [:]
    }

    private func counts(_ counts: [DeliveryState: Int]) -> OutcomeCounts {
        OutcomeCounts { counts[$0] ?? 0 }
    }

    /// Only devices that the settlement ended are counted: neither a repeat, nor one that its claim lost, nor one that
    /// waits.
    @Test(arguments: StoreKind.allCases, [true, false])
    func eachDeviceIsCountedOnce(kind: StoreKind, isFast: Bool) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin(0..<700, isFast: isFast)
        _ = try await fixture.claim(1, offsets: Array(0..<200))
        try await fixture.settle(1, offsets: Array(0..<100), provider: .apns)
        try await fixture.settle(1, offsets: Array(50..<150), provider: .apns)
        try await fixture.settle(1, offsets: Array(150..<160), as: .waiting, attempt: 1, provider: .apns)
        _ = try await fixture.claim(2, offsets: Array(150..<160), attempt: 1)
        try await fixture.settle(2, offsets: Array(150..<160), as: .failed, attempt: 1, provider: .huawei)
        try await fixture.settle(9, offsets: Array(300..<310), provider: .fcm)
        try await fixture.settle(1, offsets: Array(160..<170), as: .unknown)
        fixture.letLeasesDie()
        _ = try await fixture.claim(3, offsets: Array(170..<200))
        try await fixture.settle(1, offsets: Array(170..<180), as: .failed, provider: .apns)
        try await fixture.settle(3, offsets: Array(170..<200), as: .invalid, provider: .fcm)
        _ = try await fixture.ledger.cancel(fixture.task, in: fixture.segment)
        let providers = try await close(fixture)
        #expect(
            providers == [
                .apns: counts([.delivered: 150]), .huawei: counts([.failed: 10]), .fcm: counts([.invalid: 30]),
            ])
    }

    /// A single push: its provider is beside its detail, which stays as it was. A device that is marked later changes
    /// neither.
    @Test(arguments: StoreKind.allCases, [true, false])
    func theOnlyDeviceOfASegmentIsCounted(kind: StoreKind, isFast: Bool) async throws {
        for (reason, hasSecond) in [("", false), ("", true), ("Gone away", false), ("Gone", true)] {
            let fixture = try await kind.ledger()
            try await fixture.begin([7], isFast: isFast)
            _ = try await fixture.claim(1, offsets: [7])
            let due = fixture.time.now + .seconds(5)
            try await fixture.settle(
                1, offsets: [7], as: .waiting, attempt: 1, reason: "Busy", due: due, provider: .fcm)
            #expect(try await fixture.detail(7)?.due == due)
            _ = try await fixture.claim(2, offsets: [7], attempt: 1)
            try await fixture.settle(
                2, offsets: [7], as: .failed, attempt: 1, status: 400, reason: reason, provider: .fcm)
            if hasSecond {
                #expect(try await fixture.mark([7, 9]) == .open(SegmentSet([9])))
                _ = try await fixture.claim(3, offsets: [9])
                try await fixture.settle(3, offsets: [9], provider: .apns)
            }
            let detail = try #require(try await fixture.detail(7))
            #expect(detail.reason == reason && detail.status == 400 && detail.attempt == 1 && detail.due == nil)
            var expected: [PushProtocol: OutcomeCounts] = [.fcm: counts([.failed: 1])]
            if hasSecond { expected[.apns] = counts([.delivered: 1]) }
            #expect(try await close(fixture) == expected)
        }
    }

    /// A device that waited, and then ended without a sender, is of no known provider.
    @Test(arguments: StoreKind.allCases)
    func anExpiredDeviceIsNotCounted(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([7], isFast: true)
        _ = try await fixture.claim(1, offsets: [7])
        let due = Timestamp(milliseconds: 0x0001_0000_0000)
        try await fixture.settle(1, offsets: [7], as: .waiting, attempt: 1, due: due, provider: .apns)
        fixture.time.advance(by: LedgerFixture.deadline)
        _ = try await fixture.ledger.expire(fixture.task, in: fixture.segment, untried: .expired)
        #expect(try await close(fixture) == [:])
    }

    @Test(arguments: StoreKind.allCases)
    func theSegmentsOfATaskAreAddedUp(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let other = SegmentID(fixture.segment.app, number: SegmentNumber(rawValue: 1))
        try await fixture.begin([1, 2], jobs: 2)
        _ = try await fixture.ledger.mark(SegmentSet([4, 5, 6]), of: fixture.task, in: other)
        _ = try await fixture.claim(1, offsets: [1, 2])
        try await fixture.settle(1, offsets: [1, 2], provider: .apns)
        _ = try await fixture.ledger.claim(fixture.request(2, offsets: [4, 5, 6]), of: fixture.task, in: other)
        let groups = [
            Settlement.Group(offsets: [4], state: .delivered, attempt: 0, provider: .apns),
            Settlement.Group(offsets: [5, 6], state: .delivered, attempt: 0, provider: .http),
        ]
        _ = try await fixture.ledger.settle(
            Settlement(claim: ClaimID(owner: 7, number: 2), groups: groups), of: fixture.task, in: other)
        for job in 0..<2 { try await fixture.ledger.resolve(job: job, of: fixture.task) }
        let first = try await fixture.ledger.close([other], of: fixture.task)
        #expect(first?.closed == nil)
        let whole = try await fixture.ledger.close([other, fixture.segment], of: fixture.task)
        #expect(whole?.providers == [.apns: counts([.delivered: 3]), .http: counts([.delivered: 2])])
    }
}
