package import Topics

/// What gateways of one app share: a send gate, and the token that pushes are sent with, which is renewed when the
/// provider refuses it.
package final class TokenGate: Sendable {
    /// Sends pushes with a token, each once; without one if something else names the sender, such as a certificate.
    package typealias Attempt = @Sendable ([Push], BearerToken?) async -> SendRound

    private let tokens: TokenCache?
    private let gate: SendGate

    package init(tokens: TokenCache?, gate: SendGate) {
        self.tokens = tokens
        self.gate = gate
    }

    package var inFlightMaximum: Int { gate.inFlightMaximum }

    /// Without a token nothing can be sent, and nothing need be claimed.
    package func obstacle() async -> Admission? {
        await tokens?.obstacle()
    }

    package func admit(_ count: Int, lane: Lane) async -> Admission {
        if let obstacle = await obstacle() { return obstacle }
        return await gate.admit(count, lane: lane)
    }

    package func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    package func send(_ pushes: [Push], attempt: Attempt) async -> [PushOutcome] {
        gate.begin(pushes.count)
        let round =
            if let tokens {
                await tokens.send(pushes, withoutToken: { .withoutToken($0) }, attempt: attempt)
            } else { await attempt(pushes, nil) }
        gate.settle(round.outcomes, pause: round.pause)
        return round.outcomes
    }
}
