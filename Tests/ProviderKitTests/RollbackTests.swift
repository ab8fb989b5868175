import Bus
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// A sender after the store has come back with older data: no push is repeated that must not be.
@Suite struct RollbackTests {
    private static let later = LedgerEpoch(began: DispatchFixture.start + .seconds(1), isDoubtful: false)

    private func results(_ messages: [OutgoingMessage]) throws -> [DeviceResult] {
        try messages.flatMap { try ResultBatch(decoding: $0.value).results }
    }

    @Test(arguments: [TaskPlan.AmbiguityPolicy.atMostOnce, .atLeastOnce])
    func onlyATaskThatAllowsRepeatsIsSentOn(policy: TaskPlan.AmbiguityPolicy) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(policy, marking: [1, 2])
        fixture.witness.say(Self.later)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let mayRepeat = policy == .atLeastOnce
        let chunk = try fixture.chunk([1, 2], repeatsUnknown: mayRepeat)
        let results = try results(try await fixture.run(fixture.handler(gateway), chunk: chunk))
        #expect(gateway.sent.count == (mayRepeat ? 2 : 0))
        #expect(results.map(\.state) == Array(repeating: mayRepeat ? .delivered : .unknown, count: 2))
        #expect(results.allSatisfy { $0.reason == (mayRepeat ? "" : "the store came back with older data") })
        #expect(gateway.permitsHeld == 0)
    }

    @Test func aTaskThatWasAcceptedAfterwardsIsSent() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(.atMostOnce, marking: [1])
        fixture.witness.say(LedgerEpoch(began: DispatchFixture.start, isDoubtful: false))
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        _ = try await fixture.run(fixture.handler(gateway), chunk: try fixture.chunk([1], repeatsUnknown: false))
        #expect(gateway.sent.count == 1)
    }

    /// The rollback becomes visible in the claim, after the sender's own check has passed.
    @Test func aClaimThatShowsItIsNotSent() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(.atMostOnce, marking: [1, 2])
        fixture.ledger.beforeClaims { [witness = fixture.witness] _ in
            witness.say(Self.later)
            return nil
        }
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let chunk = try fixture.chunk([1, 2], repeatsUnknown: false)
        let results = try results(try await fixture.run(fixture.handler(gateway), chunk: chunk))
        #expect(gateway.sent.isEmpty)
        #expect(results.map(\.state) == [.unknown, .unknown])
        #expect(gateway.permitsHeld == 0)
        #expect(try await fixture.counts()[.unknown] == 2)
    }

    /// Independent of the task's policy: the ledgers are about to be rebuilt from the bus.
    @Test(arguments: [false, true]) func nothingIsSentWhileTheStoreIsDoubtful(isNoticedByClaim: Bool) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1])
        let doubt = LedgerEpoch(began: DispatchFixture.start, isDoubtful: true)
        if isNoticedByClaim {
            fixture.ledger.beforeClaims { [witness = fixture.witness] _ in
                witness.say(doubt)
                return nil
            }
        } else {
            fixture.witness.say(doubt)
        }
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let chunk = try fixture.chunk([1])
        let error = await #expect(throws: StoreError.self) {
            try await fixture.run(fixture.handler(gateway), chunk: chunk)
        }
        #expect(error?.code == .notReady && error?.isRetriable == true)
        #expect(gateway.sent.isEmpty && gateway.permitsHeld == 0)
    }
}
