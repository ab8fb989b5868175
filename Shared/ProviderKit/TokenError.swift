import ServiceKit

/// Why there is no token to send with.
package struct TokenError: RetriableError, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// Whoever issues tokens could not be reached, or was not able to.
        case unavailable
        /// The credential is wrong: somebody has to change it.
        case refused
        /// The task that asked was cancelled.
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
