import JSONKit
import ServiceKit

/// What changes about credentials while the provider runs.
struct CredentialChange: Sendable, Equatable {
    /// How old a provider token may be (Apple), or how long an access token handed out from now on is good.
    var age: Duration?
    /// Access tokens handed out so far are no longer good.
    var expiresTokens = false
    /// The address of the token endpoint, which its port decides.
    var tokenURL: String?
}

extension CredentialChange {
    init(fields: JSONFields) {
        age = fields.text("age", expected: "a time such as 5s or 1h", convert: DurationText.parse)
        expiresTokens = fields.bool("expire_tokens") ?? false
    }
}
