import JSONKit
import ServiceKit

/// A change to a provider's credentials while it runs.
struct CredentialChange: Sendable, Equatable {
    /// Maximum age of a provider token (Apple), or lifetime of the access tokens issued from now on.
    var age: Duration?
    /// Invalidates all access tokens issued so far.
    var expiresTokens = false
    /// Scheme, host and port of the provider, known once it listens.
    var origin: String?
    /// Which application server keys the Web Push service accepts.
    var applicationKeys: VAPIDTokens.AcceptedKeys?
    /// True if the receiver of HTTP pushes refuses those without a signature.
    var requiresSignature: Bool?
}

extension CredentialChange {
    init(fields: JSONFields) {
        age = fields.text("age", expected: "a time such as 5s or 1h", convert: DurationText.parse)
        expiresTokens = fields.bool("expire_tokens") ?? false
        applicationKeys = fields.text(
            "public_key", expected: "an uncompressed point of P-256 in base64url, or any",
            convert: VAPIDTokens.AcceptedKeys.init)
        requiresSignature = fields.bool("signed")
    }
}
