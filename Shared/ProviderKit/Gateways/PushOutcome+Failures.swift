package import HTTP2
package import HTTPClient
import PushModel

// What failures before an answer mean for pushes.

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

    /// Retrying does not help against an untrusted authority or an unreadable certificate.
    package static func unsent(_ error: HTTP2Error) -> PushOutcome {
        error.isRetriable ? .notSent(error.message) : .misconfigured(error.message)
    }

    package static func unsent(_ error: HTTPClientError) -> PushOutcome {
        error.isOurs ? .misconfigured(error.message) : .notSent(error.message)
    }

    /// Same as such an answer of the provider: nothing can be sent until the settings are fixed.
    private static func misconfigured(_ reason: String) -> PushOutcome {
        .answered(ProviderAnswer(.misconfigured, reason: OutcomeReason.cut(reason), status: 0))
    }
}

extension HTTPClientError {
    /// True if retrying cannot help: a file or a setting must be fixed.
    var isOurs: Bool {
        switch code {
        case .untrusted, .misconfigured, .invalid: true
        case .full, .closed, .cancelled, .deadline, .unresolved, .addressRefused, .unreachable, .handshake, .broken:
            false
        }
    }
}
