import ServiceKit

/// The reason why there is no token to send with.
package struct TokenError: RetriableError, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The token issuer is unreachable or failed.
        case unavailable
        /// The credential is wrong and must be changed.
        case refused
        /// The requesting task was cancelled.
        case cancelled
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var isRetriable: Bool { code == .unavailable }

    package var description: String { message }
}
