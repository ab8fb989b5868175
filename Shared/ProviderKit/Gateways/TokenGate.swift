package import Topics

/// What gateways of one app that send with an OAuth token share: a send gate, and the token, which is renewed when the
/// provider refuses it.
package final class TokenGate: Sendable {
    private let tokens: TokenCache
    private let gate: SendGate

    package init(tokens: TokenCache, gate: SendGate) {
        self.tokens = tokens
        self.gate = gate
    }

    package var inFlightMaximum: Int { gate.inFlightMaximum }

    /// To be called before `admit`: without a token nothing can be sent, and nothing need be claimed.
    package func obstacle() async -> Admission? {
        do throws(TokenError) {
            _ = try await tokens.token()
            return nil
        } catch {
            return .withoutToken(error)
        }
    }

    package func admit(_ count: Int, lane: Lane) async -> Admission {
        await gate.admit(count, lane: lane)
    }

    package func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    package func send(_ pushes: [Push], attempt: TokenCache.Attempt) async -> [PushOutcome] {
        gate.begin(pushes.count)
        let round = await tokens.send(pushes, withoutToken: { .withoutToken($0) }, attempt: attempt)
        gate.settle(round.outcomes, pause: round.pause)
        return round.outcomes
    }
}
