import ProviderKit
import ServiceKit
import Topics

/// The part that the gateways of Google and Huawei share, for one app: a send gate, and a token that is renewed when
/// the provider refuses it.
final class TokenGate: Sendable {
    /// Outcomes of some pushes, in their order.
    struct Round: Sendable {
        var outcomes: [PushOutcome]
        /// The wait that the provider asks of the whole app.
        var pause = Duration.zero
    }

    typealias Attempt = @Sendable ([Push], BearerToken) async -> Round

    private let tokens: TokenCache
    private let gate: SendGate

    init(tokens: TokenCache, gate: SendGate) {
        self.tokens = tokens
        self.gate = gate
    }

    var inFlightMaximum: Int { gate.inFlightMaximum }

    /// To be called before `admit`: without a token nothing can be sent, and nothing need be claimed.
    func obstacle() async -> Admission? {
        do throws(TokenError) {
            _ = try await tokens.token()
            return nil
        } catch {
            return .withoutToken(error)
        }
    }

    func admit(_ count: Int, lane: Lane) async -> Admission {
        await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    func send(_ pushes: [Push], attempt: Attempt) async -> [PushOutcome] {
        gate.begin(pushes.count)
        let round = await sendWithRenewal(pushes, attempt: attempt)
        gate.settle(round.outcomes, pause: round.pause)
        return round.outcomes
    }

    /// Retries refused pushes with the next token, which all callers that used the former one share.
    private func sendWithRenewal(_ pushes: [Push], attempt: Attempt) async -> Round {
        var (round, token) = await sendOnce(pushes, attempt: attempt)
        let refused = round.outcomes.indices.filter { round.outcomes[$0].isUnauthorized }
        guard !refused.isEmpty, let token, tokens.refuse(token) != .tooYoung else { return round }
        let (again, _) = await sendOnce(refused.map { pushes[$0] }, attempt: attempt)
        for (position, outcome) in zip(refused, again.outcomes) { round.outcomes[position] = outcome }
        round.pause = max(round.pause, again.pause)
        return round
    }

    /// The token is nil if none was available.
    private func sendOnce(_ pushes: [Push], attempt: Attempt) async -> (Round, BearerToken?) {
        do throws(TokenError) {
            let token = try await tokens.token()
            return (await attempt(pushes, token), token)
        } catch {
            let outcome = PushOutcome.withoutToken(error)
            return (Round(outcomes: pushes.map { _ in outcome }), nil)
        }
    }
}
