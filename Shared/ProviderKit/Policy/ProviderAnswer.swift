package import ServiceKit

/// What a provider said about one device, and what follows from it.
package struct ProviderAnswer: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case delivered
        /// There is no such device, as of the provider's time where it names one.
        case invalidDevice(since: Timestamp?)
        case retryLater(RetryAdvice)
        /// Too much at once, of this device or of the whole app.
        case throttled(Throttle, RetryAdvice)
        /// Once more with a fresh token; a second time it is a misconfiguration.
        case refreshAuthorization
        /// Nothing of this app can be sent until somebody mends it. The devices are kept.
        case misconfigured
        /// This message will never be taken.
        case payloadRejected
    }

    package enum Throttle: Sendable, Equatable {
        case device
        case app
    }

    package let verdict: Verdict
    /// The provider's own word, for the report.
    package let reason: String
    package let status: UInt16
    /// Whether the connection it came on must not be used again.
    package let endsConnection: Bool
    /// Whether the push may have been delivered in spite of the answer: a server that fails, or a gateway that lost the
    /// server behind it, does not say how far the request came.
    package let mayBeProcessed: Bool

    package init(
        _ verdict: Verdict, reason: String, status: UInt16, endsConnection: Bool = false, mayBeProcessed: Bool = false
    ) {
        self.verdict = verdict
        self.reason = reason
        self.status = status
        self.endsConnection = endsConnection
        self.mayBeProcessed = mayBeProcessed
    }

    /// What `mayBeProcessed` is for an answer over HTTP. A 503 with a reason of the provider's is its own refusal; without
    /// one it comes from a gateway, which may have passed the push on.
    package static func mayBeProcessed(status: Int, reason: String) -> Bool {
        switch status {
        case 200, 400..<500: false
        case 503: reason.isEmpty
        default: true
        }
    }
}

/// When to try again, as far as the provider or its manual says.
package struct RetryAdvice: Sendable, Equatable {
    /// Not before this.
    package let floor: Duration
    /// Where they are given, the wait lies within that of the attempt, or within the last one: no back-off is added.
    package let waits: [ClosedRange<Duration>]
    /// Whether the answer itself asked for the wait (`Retry-After`), and not only its manual.
    package let isAsked: Bool
    package static let soon = RetryAdvice(floor: .zero)

    package init(floor: Duration, waits: [ClosedRange<Duration>] = [], isAsked: Bool = false) {
        self.floor = floor
        self.waits = waits
        self.isAsked = isAsked
    }
}
