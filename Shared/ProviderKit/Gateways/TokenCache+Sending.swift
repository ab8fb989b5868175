extension TokenCache {
    /// Why nothing can be sent now; nil if there is a token.
    package func obstacle() async -> Admission? {
        do throws(TokenError) {
            _ = try await token()
            return nil
        } catch {
            return .withoutToken(error)
        }
    }

    /// Sends pushes with a token, each once.
    package typealias Attempt = @Sendable ([Push], BearerToken) async -> SendRound

    /// Sends pushes, and those whose token the provider refused once more with the next token, which all callers that
    /// used the former one share. `withoutToken` is the outcome of pushes for which there is no token.
    package func send(
        _ pushes: [Push], withoutToken: @Sendable (TokenError) -> PushOutcome, attempt: Attempt
    ) async -> SendRound {
        var (round, token) = await sendOnce(pushes, withoutToken: withoutToken, attempt: attempt)
        let refused = round.outcomes.indices.filter { round.outcomes[$0].isUnauthorized }
        guard !refused.isEmpty, let token, refuse(token) != .tooYoung else { return round }
        let (again, _) = await sendOnce(refused.map { pushes[$0] }, withoutToken: withoutToken, attempt: attempt)
        round.replace(refused, with: again)
        return round
    }

    /// The token is nil if none was available.
    private func sendOnce(
        _ pushes: [Push], withoutToken: @Sendable (TokenError) -> PushOutcome, attempt: Attempt
    ) async -> (SendRound, BearerToken?) {
        do throws(TokenError) {
            let token = try await token()
            return (await attempt(pushes, token), token)
        } catch {
            let outcome = withoutToken(error)
            return (SendRound(outcomes: pushes.map { _ in outcome }), nil)
        }
    }
}

extension PushOutcome {
    fileprivate var isUnauthorized: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.verdict == .refreshAuthorization
    }
}
