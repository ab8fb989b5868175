import JSONKit
import ServiceKit

/// A change to a provider's credentials while it runs.
struct CredentialChange: Sendable, Equatable {
    /// Maximum age of a provider token (Apple), or lifetime of the access tokens issued from now on.
    var age: Duration?
    /// Invalidates all access tokens issued so far.
    var expiresTokens = false
    /// The URL of the token endpoint, which depends on its port.
    var tokenURL: String?
}

extension CredentialChange {
    init(fields: JSONFields) {
        age = fields.text("age", expected: "a time such as 5s or 1h", convert: DurationText.parse)
        expiresTokens = fields.bool("expire_tokens") ?? false
    }
}
