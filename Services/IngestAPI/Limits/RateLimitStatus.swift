import HTTPServer
import ServiceKit

/// What a client is told about a rate limit: the fields of the IETF draft `draft-ietf-httpapi-ratelimit-headers`.
struct RateLimitStatus: Sendable, Equatable {
    /// The policies' names in the fields, which clients may refer to.
    enum Policy: String, Sendable {
        case app
        case address
        case unknownDevices = "unknown-subscribers"
    }

    let policy: Policy
    /// Requests in a window.
    let quota: Int
    let windowSeconds: Int
    let remaining: Int
    /// Time until the whole quota is available, if no further request comes.
    let reset: Duration
    /// Time until the next request is accepted.
    let wait: Duration

    /// The quota and the window are those of the policy, the rest is the state after this request.
    var headers: [HTTPField] {
        [
            HTTPField("RateLimit-Policy", "\"\(policy.rawValue)\";q=\(quota);w=\(windowSeconds)"),
            HTTPField("RateLimit", "\"\(policy.rawValue)\";r=\(remaining);t=\(reset.secondsRoundedUp)"),
        ]
    }

    var retryAfter: HTTPField { HTTPField("Retry-After", "\(max(1, wait.secondsRoundedUp))") }
}

extension Duration {
    fileprivate var secondsRoundedUp: Int64 {
        max(0, components.seconds + (components.attoseconds > 0 ? 1 : 0))
    }
}
