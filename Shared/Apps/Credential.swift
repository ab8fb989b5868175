package import ServiceKit

/// A publisher's key as stored in an app file: its hash, not the key itself.
package struct Credential: Sendable, Equatable {
    package let id: String
    /// HMAC-SHA-256 of the key's secret under the pepper.
    package let hash: [UInt8]
    package let rights: KeyRights
    package let created: Timestamp
    package let expires: Timestamp?

    package var scopes: Set<Scope> { rights.scopes }

    package func isValid(at now: Timestamp) -> Bool {
        expires.map { now < $0 } ?? true
    }
}
