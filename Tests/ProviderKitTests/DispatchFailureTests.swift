import Bus
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// A chunk whose ledger fails while it is being sent.
@Suite(.timeLimit(.minutes(3))) struct DispatchFailureTests {
    private let offsets = (0..<65).map { UInt16($0) }

    /// Goal: the failure of one batch does not make the pushes of another unknown. Method: while the ledger fails the
    /// batch of 64, the batch of one waits for the provider, which answers unless the request was canceled.
    @Test func aFailureDoesNotCutOffWhatIsOnItsWay() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let isAtProvider = OneTimeEvent()
        let hasFailed = OneTimeEvent()
        fixture.ledger.beforeClaims { request in
            guard request.offsets.count == 64 else { return nil }
            await isAtProvider.wait()
            hasFailed.happen()
            return StoreError(.corrupt, message: "a ledger that cannot be read")
        }
        let gateway = ScriptedGateway { _ in
            isAtProvider.happen()
            await hasFailed.wait()
            for _ in 0..<10_000 where !Task.isCancelled { await Task.yield() }
            return Task.isCancelled ? .unknown("cut off") : .answered(.delivered)
        }
        await #expect(throws: StoreError.self) {
            try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets))
        }
        #expect(try await fixture.counts()[.delivered] == 1)
        #expect(try fixture.producer.retries().isEmpty)
    }

    /// Goal: an unavailable ledger does not cause a second push after the provider accepted the first. Method: the
    /// first three settlements fail, and the clock is advanced by each pause of the sender.
    @Test func aLedgerThatIsAwayForAMomentIsWaitedFor() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        fixture.ledger.fail(.settle, list: [.notDone, .notDone, .notDone])
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let run = Task { try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1, 2])) }
        for _ in 0..<3 {
            // One waits for the ledger, the other for the time to report what has ended.
            #expect(await fixture.time.hasSleepers(2))
            fixture.time.advance(by: .seconds(1))
        }
        #expect(try await run.value.count == 1)
        #expect(try await fixture.counts()[.delivered] == 2)
    }

    /// A worker that kept waiting would fail its liveness check.
    @Test func aLedgerThatStaysAwayIsNotWaitedFor() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1])
        fixture.ledger.fail(.settle, list: Array(repeating: .notDone, count: 1_000))
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let run = Task { try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1])) }
        #expect(await fixture.time.hasSleepers(2))
        fixture.time.advance(by: .seconds(30))
        await #expect(throws: ShakyLedger.lost) { try await run.value }
    }

    /// Goal: results are sent even if the answer to their settlement was lost. Method: the chunk fails and is repeated.
    @Test func aSettlementWhoseAnswerIsLostIsReportedAgain() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        fixture.ledger.fail(.settle, list: [.answerLost])
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let run = Task { try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1, 2])) }
        #expect(await fixture.time.hasSleepers(2))
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: SettlementUnknownError.self) { try await run.value }
        let again = try await fixture.run(fixture.handler(gateway, seed: 5), chunk: fixture.chunk([1, 2]))
        #expect(again.count == 1)
        #expect(gateway.sent.count == 2)
    }

    /// Goal: a claim whose answer was lost does not make devices count as sent. Method: the ledger claims but its
    /// answer is lost, for an `at_most_once` task.
    @Test func aClaimWhoseAnswerIsLostIsStillOurs() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(.atMostOnce, marking: [1, 2])
        fixture.ledger.fail(.claim, list: [.answerLost])
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1, 2], repeatsUnknown: false))
        #expect(try await fixture.counts()[.delivered] == 2)
    }

    /// Goal: the same if repeating results fails. Method: one of two devices has ended, its reason is unreadable.
    @Test func claimedDevicesAreSentBeforeAnyResultIsRepeated() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(.atMostOnce, marking: [1, 2])
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        fixture.ledger.fail(.noteReported, list: [.notDone])
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1], repeatsUnknown: false))
        fixture.ledger.fail(.detail, list: [.notDone])
        await #expect(throws: ShakyLedger.lost) {
            try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1, 2], repeatsUnknown: false))
        }
        #expect(try await fixture.counts()[.delivered] == 2)
    }
}
