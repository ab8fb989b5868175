import HTTP2
import ServiceKit

/// Checks requests and forms answers as one provider does.
protocol ProviderRules: Sendable {
    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint
    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict
    /// An error that a fault asks for, in the provider's form.
    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer
    mutating func changeCredentials(_ change: CredentialChange)
}

/// An answer that a fault gives in place of the provider's.
struct AskedError: Sendable, Equatable {
    let status: Int
    var reason: String?
    /// In seconds.
    var retryAfter: Int?
}
