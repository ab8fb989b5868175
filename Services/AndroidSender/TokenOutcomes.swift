import ProviderKit
import PushModel

extension Admission {
    /// A credential that is refused is a mistake somebody has to mend; a server that does not answer is not.
    static func withoutToken(_ error: TokenError) -> Admission {
        error.code == .refused ? .halted(reason: error.message) : .unavailable(reason: error.message)
    }
}

extension PushOutcome {
    static func withoutToken(_ error: TokenError) -> PushOutcome {
        error.code == .refused ? .misconfigured(error.message) : .notSent(error.message)
    }

    /// As if the provider had said so: nothing can be sent until somebody mends it.
    static func misconfigured(_ reason: String) -> PushOutcome {
        .answered(ProviderAnswer(.misconfigured, reason: OutcomeReason.cut(reason), status: 0))
    }

    var isUnauthorized: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.verdict == .refreshAuthorization
    }
}
