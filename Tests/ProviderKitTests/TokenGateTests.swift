import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite struct TokenGateTests {
    private let time = ManualTimeSource()

    private func gate(_ failure: TokenError?) -> TokenGate {
        let tokens = TokenCache(time: time, random: SeededRandomSource(seed: 1)) {
            () async throws(TokenError) in
            if let failure { throw failure }
            return IssuedToken(Secret("token"), window: .apns())
        }
        return TokenGate(tokens: tokens, gate: SendGate(time: time))
    }

    /// A refused credential halts the app, an issuer without an answer is an outage.
    @Test func withoutATokenNothingIsAdmitted() async {
        let refused = gate(TokenError(.refused, message: "wrong key"))
        #expect(await refused.admit(1, lane: .bulk) == .halted(reason: "wrong key"))
        let unavailable = gate(TokenError(.unavailable, message: "no answer"))
        #expect(await unavailable.admit(1, lane: .bulk) == .unavailable(reason: "no answer"))
        #expect(await gate(nil).admit(1, lane: .bulk) == .admitted(1))
    }

    /// A sender that is being stopped must not report an outage of the provider to the others.
    @Test func aCancelledSenderReportsNoOutage() async {
        let gate = gate(nil)
        let admission = await withTaskGroup(of: Admission.self) { group in
            group.cancelAll()
            group.addTask { await gate.admit(1, lane: .bulk) }
            return await group.next()
        }
        #expect(admission == .pausedFor(.seconds(1)))
    }

    /// Something else names the sender, such as a certificate.
    @Test func aGateWithoutTokensSendsWithoutOne() async {
        let gate = TokenGate(tokens: nil, gate: SendGate(time: time))
        #expect(await gate.admit(2, lane: .bulk) == .admitted(2))
        let content = PushContent(
            RenderedVariant(
                kind: .apns, priority: .high, pushType: "", collapseID: "", expiration: 0,
                payload: PayloadTemplate([])))
        let pushes = (0..<2).map {
            Push(id: TaskID(high: 0, low: UInt64($0)), token: "", isSandbox: false, content: content, badge: 0)
        }
        let outcomes = await gate.send(pushes) { pushes, token in
            #expect(token == nil)
            return SendRound(outcomes: pushes.map { _ in .answered(.delivered) })
        }
        #expect(outcomes == [.answered(.delivered), .answered(.delivered)])
    }
}
