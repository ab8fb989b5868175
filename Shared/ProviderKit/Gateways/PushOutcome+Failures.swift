package import HTTP2
package import HTTPClient
import PushModel

// What failures before an answer mean for pushes.

extension Admission {
    /// A refused credential is a configuration error that must be fixed; a server that does not answer is not. A sender
    /// that is being stopped says nothing about the provider.
    static func withoutToken(_ error: TokenError) -> Admission {
        switch error.code {
        case .refused: .halted(reason: error.message)
        case .unavailable: .unavailable(reason: error.message)
        case .cancelled: .pausedFor(.seconds(1))
        }
    }
}

extension PushOutcome {
    /// The outcome of a push that has a request of its own.
    package init(_ outcome: HTTP2Outcome, answer: (HTTP2Response) -> ProviderAnswer) {
        switch outcome {
        case .answered(let response): self = .answered(answer(response))
        case .notSent(let error): self = .unsent(error)
        case .unknown(let error): self = .unknown(error.message)
        }
    }

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
