package import ServiceKit

/// A provider's answer about one device, and its consequence.
package struct ProviderAnswer: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case delivered
        /// The device does not exist, as of the provider's timestamp if there is one.
        case invalidDevice(since: Timestamp?)
        /// The device may not exist any more: the answer counts as one of the failures that remove it.
        case suspectDevice
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

    /// An answer over HTTP. The wait that it asks for takes precedence over the manual's.
    package init(
        _ verdict: Verdict, reason: String, httpStatus status: Int, retryAfter: Duration? = nil,
        endsConnection: Bool = false
    ) {
        self.init(
            retryAfter.map { verdict.waiting($0) } ?? verdict, reason: reason, status: UInt16(clamping: status),
            endsConnection: endsConnection,
            mayBeProcessed: ProviderAnswer.mayBeProcessed(status: status, reason: reason))
    }

    /// Value of `mayBeProcessed` for an answer over HTTP. A 503 with a reason of the provider is its own refusal;
    /// without one it comes from a gateway, which may have forwarded the push.
    private static func mayBeProcessed(status: Int, reason: String) -> Bool {
        switch status {
        case 200, 400..<500: false
        case 503: reason.isEmpty
        default: true
        }
    }
}

extension ProviderAnswer.Verdict {
    fileprivate func waiting(_ asked: Duration) -> ProviderAnswer.Verdict {
        switch self {
        case .retryLater: .retryLater(RetryAdvice(floor: asked, isAsked: true))
        case .throttled(let throttle, _): .throttled(throttle, RetryAdvice(floor: asked, isAsked: true))
        case .delivered, .invalidDevice, .suspectDevice, .refreshAuthorization, .misconfigured, .payloadRejected: self
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
