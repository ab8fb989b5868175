import HTTPClient
import ProviderKit
import PushModel
import ServiceKit

// What failures mean for a push whose server is one of many: they never halt the app.
extension PushOutcome {
    /// Such a push is never sent. The status of a real answer is not zero.
    static func unsendable(_ reason: String) -> PushOutcome {
        .answered(ProviderAnswer(.payloadRejected, reason: OutcomeReason.cut(reason), status: 0))
    }

    init(toOrigin outcome: HTTPClientOutcome, answer: (HTTPClientResponse) -> ProviderAnswer) {
        switch outcome {
        case .answered(let response): self = .answered(answer(response))
        case .unknown(let failure): self = .unknown(failure.message)
        case .notSent(let failure): self = .init(toOrigin: failure)
        }
    }

    private init(toOrigin failure: HTTPClientError) {
        switch failure.code {
        case .deadline, .unresolved, .unreachable, .untrusted, .handshake, .broken: self = .notSent(failure.message)
        // An address that the operator does not allow stays so.
        case .addressRefused: self = .unsendable("address_refused")
        case .invalid: self = .unsendable("BadAddress")
        case .full, .closed, .cancelled: self = .heldBack(OriginRefusal.retry, reason: failure.message)
        // A certificate of the app, or a file of authorities.
        case .misconfigured:
            self = .answered(ProviderAnswer(.misconfigured, reason: OutcomeReason.cut(failure.message), status: 0))
        }
    }
}
