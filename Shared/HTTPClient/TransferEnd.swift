import CCurl
import ServiceKit

/// How a transfer ended, as libcurl and our callbacks tell it; decides what that means for the request.
struct TransferEnd {
    let code: CURLcode
    /// What libcurl said about it.
    let message: String
    let answer: AnswerIntake
    /// Whether the request was on its way over an established connection.
    let hasBegun: Bool
    /// The last address that the policy did not permit, when it left none to connect to.
    let refusedAddress: IPAddress?

    var outcome: HTTPClientOutcome {
        // An answer counts however its connection ends: libcurl reports the reset after a complete HTTP/2 stream as a
        // failure, and our own refusal to read on as one too.
        if answer.hasAnswer && (code == CURLE_OK || answer.isCut || answer.isWhole) {
            return .answered(answer.response)
        }
        return hasBegun ? .unknown(failure) : .notSent(failure)
    }

    private var failure: HTTPClientError {
        if let refusedAddress {
            return HTTPClientError(.addressRefused, message: "requests from outside may not go to \(refusedAddress)")
        }
        return HTTPClientError(failureCode, message: message)
    }

    private var failureCode: HTTPClientError.Code {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .deadline
        // Later it means that what came was no HTTP.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: hasBegun ? .broken : .invalid
        case CURLE_COULDNT_RESOLVE_HOST: .unresolved
        case CURLE_COULDNT_CONNECT: .unreachable
        case CURLE_PEER_FAILED_VERIFICATION: .untrusted
        case CURLE_SSL_CONNECT_ERROR: .handshake
        case CURLE_SSL_CACERT_BADFILE: .misconfigured
        default: .broken
        }
    }
}
