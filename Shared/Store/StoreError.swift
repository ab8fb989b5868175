import ServiceKit

/// Why the store did not do what was asked. Every operation may be repeated: what was half done is completed, and what
/// was done is left as it is.
package struct StoreError: RetriableError, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The store does not answer, or its answer was lost.
        case unavailable
        /// The registry is not whole: nothing may be concluded from what it does not hold.
        case notReady
        /// It is at its memory bound and refuses what would make it grow.
        case full
        /// A bound of the registry would be passed: subscriptions of a device, devices of a user, segments of an app.
        case tooMany
        /// What it holds cannot be read.
        case corrupt
        /// It refuses us: credentials, or settings that do not fit.
        case refused
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var isRetriable: Bool {
        switch code {
        case .unavailable, .notReady, .full, .refused: true
        case .tooMany, .corrupt: false
        }
    }

    package var description: String { "\(code): \(Redaction.redact(message))" }
}
