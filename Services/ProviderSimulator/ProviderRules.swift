import HTTP2
import ServiceKit

/// How one provider checks requests and words its answers.
protocol ProviderRules: Sendable {
    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint
    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict
    /// An error that somebody has asked for, in the provider's form.
    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer
    mutating func changeCredentials(_ change: CredentialChange)
}

/// An answer that a fault gives instead of the provider.
struct AskedError: Sendable, Equatable {
    let status: Int
    var reason: String?
    /// In seconds.
    var retryAfter: Int?
}
