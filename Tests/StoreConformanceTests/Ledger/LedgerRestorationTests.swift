import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// Restoring a lost ledger: none of its devices is ever open.
@Suite(.timeLimit(.minutes(5))) struct LedgerRestorationTests {
    private struct Restoring {
        let fixture: LedgerFixture
        let ledger: any Ledger & LedgerRestoration
        let plan: TaskPlan

        func restore(_ offsets: [UInt16], as state: DeliveryState) async throws -> [UInt16]? {
            try await ledger.restore(
                SegmentSet(offsets), as: state, of: fixture.task, in: fixture.segment, plan: plan)?.offsets
        }
    }

    private func begin(_ kind: StoreKind) async throws -> Restoring {
        let fixture = try await kind.ledger()
        let ledger = try #require(fixture.ledger as? any Ledger & LedgerRestoration)
        let plan = fixture.makePlan()
        #expect(try await ledger.beginRestoring(fixture.task, plan: plan))
        return Restoring(fixture: fixture, ledger: ledger, plan: plan)
    }

    @Test(arguments: StoreKind.allCases)
    func theFirstEndOfADeviceHolds(kind: StoreKind) async throws {
        let restoring = try await begin(kind)
        #expect(try await restoring.restore([1, 2, 4_095], as: .delivered) == [1, 2, 4_095])
        #expect(try await restoring.restore([2, 3], as: .failed) == [3])
        #expect(try await restoring.restore([0, 1, 2, 3], as: .unknown) == [0])
        // Devices that already have this state are returned again.
        #expect(try await restoring.restore([0, 1, 7], as: .unknown) == [0, 7])
        #expect(
            try await restoring.fixture.states() == [
                0: .unknown, 1: .delivered, 2: .delivered, 3: .failed, 4_095: .delivered, 7: .unknown,
            ])
    }

    /// Goal: during the restoration nothing can be marked, claimed, resolved or closed, and all devices have ended.
    @Test(arguments: StoreKind.allCases)
    func aTaskBeingRestoredIsNotMarkedOrClosed(kind: StoreKind) async throws {
        let restoring = try await begin(kind)
        let (fixture, ledger) = (restoring.fixture, restoring.ledger)
        #expect(try await fixture.mark([5]) == .missing)
        #expect(try await restoring.restore([1], as: .unknown) == [1])
        #expect(try await fixture.mark([5]) == .missing)
        #expect(try await fixture.claim(1, offsets: [1, 5]) == [.ended(.unknown), .unmarked])
        #expect(try await ledger.isResolved(job: 17, of: fixture.task) == true)
        let open = try await ledger.openSegments(of: fixture.task)
        #expect(open == [fixture.segment])
        #expect(try await ledger.close(open, of: fixture.task)?.closed == nil)
        #expect(try await restoring.restore([2], as: .delivered) == [2])

        let final = fixture.makePlan(isFast: true, policy: .atMostOnce)
        try await ledger.endRestoring(fixture.task, plan: final)
        #expect(try await restoring.restore([3], as: .unknown) == nil)
        let progress = try #require(try await ledger.close([fixture.segment], of: fixture.task))
        #expect(progress.plan == final)
        #expect(progress.closed == fixture.time.now)
        #expect(progress.counts[.unknown] == 1 && progress.counts[.delivered] == 1 && progress.counts.targeted == 2)
        #expect(try await fixture.mark([5]) == .missing)
    }

    @Test(arguments: StoreKind.allCases)
    func aLedgerThatIsThereIsLeftAlone(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let ledger = try #require(fixture.ledger as? any Ledger & LedgerRestoration)
        try await fixture.begin([1, 2], jobs: 2)
        #expect(try await !ledger.beginRestoring(fixture.task, plan: fixture.makePlan()))
        #expect(
            try await ledger.restore(
                SegmentSet([1]), as: .unknown, of: fixture.task, in: fixture.segment, plan: fixture.makePlan()) == nil)
        #expect(try await fixture.states() == [1: .targeted, 2: .targeted])
        #expect(try await ledger.progress(of: fixture.task)?.plan.jobs == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func oneThatWasCutOffBeginsAgain(kind: StoreKind) async throws {
        let restoring = try await begin(kind)
        #expect(try await restoring.restore([1], as: .unknown) == [1])
        #expect(try await restoring.ledger.beginRestoring(restoring.fixture.task, plan: restoring.plan))
        #expect(try await restoring.restore([1, 2], as: .unknown) == [1, 2])
    }

    /// Goal: the counts are right for a whole segment, beyond the size at which a ledger changes its encoding.
    @Test(arguments: StoreKind.allCases)
    func aWholeSegmentIsRestored(kind: StoreKind) async throws {
        let restoring = try await begin(kind)
        let all = (0..<4_096).map { UInt16($0) }
        #expect(try await restoring.restore(Array(all[..<400]), as: .delivered)?.count == 400)
        #expect(try await restoring.restore(all.filter { $0 % 2 == 0 }, as: .failed)?.count == 1_848)
        #expect(try await restoring.restore(all, as: .unknown)?.count == 1_848)
        try await restoring.ledger.endRestoring(restoring.fixture.task, plan: restoring.plan)
        let open = try await restoring.ledger.openSegments(of: restoring.fixture.task)
        let counts = try #require(try await restoring.ledger.close(open, of: restoring.fixture.task)).counts
        #expect(counts[.delivered] == 400 && counts[.failed] == 1_848 && counts[.unknown] == 1_848)
    }
}
