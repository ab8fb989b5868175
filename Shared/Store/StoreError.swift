import ServiceKit

/// Reason why the store did not perform an operation. Every operation may be repeated: an incomplete one is completed,
/// a complete one has no further effect.
package struct StoreError: RetriableError, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The store does not answer, or its answer was lost.
        case unavailable
        /// The registry is incomplete: missing data allows no conclusion.
        case notReady
        /// It has reached its memory limit and refuses writes that would make it grow.
        case full
        /// A limit of the registry would be exceeded: subscriptions of a device, devices of a user, segments of an app.
        case tooMany
        /// Stored data cannot be decoded.
        case corrupt
        /// It rejects us: wrong credentials or incompatible settings.
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
