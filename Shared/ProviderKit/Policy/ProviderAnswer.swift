package import ServiceKit

/// A provider's answer about one device, and its consequence.
package struct ProviderAnswer: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case delivered
        /// The device does not exist, as of the provider's timestamp if there is one.
        case invalidDevice(since: Timestamp?)
        case retryLater(RetryAdvice)
        /// Too many pushes, to this device or of the whole app.
        case throttled(Throttle, RetryAdvice)
        /// Send again with a fresh token; a second refusal is a misconfiguration.
        case refreshAuthorization
        /// Nothing of this app can be sent until its settings are fixed. The devices are kept.
        case misconfigured
        /// This message will never be accepted.
        case payloadRejected
    }

    package enum Throttle: Sendable, Equatable {
        case device
        case app
    }

    package let verdict: Verdict
    /// The provider's own reason, for the report.
    package let reason: String
    package let status: UInt16
    /// True if the connection that the answer came on must not be used again.
    package let endsConnection: Bool
    /// True if the push may have been delivered in spite of the answer: a failing server, or a gateway that lost the
    /// server behind it, does not say how far the request got.
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

    /// Value of `mayBeProcessed` for an answer over HTTP. A 503 with a reason of the provider is its own refusal;
    /// without one it comes from a gateway, which may have forwarded the push.
    package static func mayBeProcessed(status: Int, reason: String) -> Bool {
        switch status {
        case 200, 400..<500: false
        case 503: reason.isEmpty
        default: true
        }
    }
}

/// When to retry, according to the provider or its manual.
package struct RetryAdvice: Sendable, Equatable {
    /// Minimum wait.
    package let floor: Duration
    /// If given, the wait lies in the range of the attempt, or in the last one, and no backoff is added.
    package let waits: [ClosedRange<Duration>]
    /// True if the answer itself asked for the wait (`Retry-After`), and not only its manual.
    package let isAsked: Bool
    package static let soon = RetryAdvice(floor: .zero)

    package init(floor: Duration, waits: [ClosedRange<Duration>] = [], isAsked: Bool = false) {
        self.floor = floor
        self.waits = waits
        self.isAsked = isAsked
    }
}
