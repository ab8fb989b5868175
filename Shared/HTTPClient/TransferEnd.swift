import CCurl
import ServiceKit

/// The end of a transfer as reported by libcurl and our callbacks; determines the request's outcome.
struct TransferEnd {
    let code: CURLcode
    /// libcurl's message.
    let message: String
    let answer: AnswerIntake
    /// True if the request was being sent over an established connection.
    let hasBegun: Bool
    /// The last address refused by the policy, if no permitted one was left.
    let refusedAddress: IPAddress?

    var outcome: HTTPClientOutcome {
        // A response counts however its connection ends: libcurl reports the reset after a complete HTTP/2 stream as a
        // failure, and also our own refusal to read on.
        if answer.hasAnswer && (code == CURLE_OK || answer.isCut || answer.isWhole) {
            return .answered(answer.response)
        }
        return hasBegun ? .unknown(failure) : .notSent(failure)
    }

    private var failure: HTTPClientError {
        if let refusedAddress {
            return HTTPClientError(.addressRefused, message: "the address policy refuses \(refusedAddress)")
        }
        return HTTPClientError(failureCode, message: message)
    }

    private var failureCode: HTTPClientError.Code {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .deadline
        // Once sent, it means that the response was not HTTP.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: hasBegun ? .broken : .invalid
        case CURLE_COULDNT_RESOLVE_HOST: .unresolved
        case CURLE_COULDNT_CONNECT: .unreachable
        case CURLE_PEER_FAILED_VERIFICATION: .untrusted
        case CURLE_SSL_CONNECT_ERROR: .handshake
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: .misconfigured
        default: .broken
        }
    }
}
