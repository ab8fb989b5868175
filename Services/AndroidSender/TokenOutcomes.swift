import ProviderKit
import PushModel

extension Admission {
    /// A refused credential is a configuration error that must be fixed; a server that does not answer is not.
    static func withoutToken(_ error: TokenError) -> Admission {
        error.code == .refused ? .halted(reason: error.message) : .unavailable(reason: error.message)
    }
}

extension PushOutcome {
    static func withoutToken(_ error: TokenError) -> PushOutcome {
        error.code == .refused ? .misconfigured(error.message) : .notSent(error.message)
    }

    /// Same as such an answer of the provider: nothing can be sent until the settings are fixed.
    static func misconfigured(_ reason: String) -> PushOutcome {
        .answered(ProviderAnswer(.misconfigured, reason: OutcomeReason.cut(reason), status: 0))
    }

    var isUnauthorized: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.verdict == .refreshAuthorization
    }
}
