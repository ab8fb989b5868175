import PushModel
package import ServiceKit

/// The key by which push services know a publisher (RFC 8292). Browsers subscribe with its public part, and accept
/// pushes under no other.
package struct VAPIDKey: Sendable {
    /// Uncompressed, 65 bytes.
    package let publicPoint: [UInt8]
    /// The point in base64url, as browsers and push services take it.
    package let publicText: String
    private let key: SigningKey
    private let signer: JWTSigner

    /// Reads a PEM file with an EC key on P-256.
    package init(file: String) throws(SigningError) {
        try self.init(SigningKey(file: file, for: .es256))
    }

    /// The key must be one for ES256.
    package init(_ key: SigningKey) throws(SigningError) {
        publicPoint = try key.publicPoint()
        publicText = Base64URL.encode(publicPoint)
        self.key = key
        signer = JWTSigner(key: key)
    }

    package static func generated() throws(SigningError) -> VAPIDKey {
        try VAPIDKey(SigningKey.generated(for: .es256))
    }

    /// The private key in PEM form (PKCS #8, without a passphrase).
    package func privateKeyText() throws(SigningError) -> Secret {
        try key.privateKeyText()
    }

    /// A token for all endpoints of an origin (scheme, host, and a port other than the scheme's). The contact is a
    /// `mailto:` or `https:` address.
    package func token(origin: String, contact: String, expiresAt expiry: Timestamp) throws(SigningError) -> Secret {
        try signer.sign { claims in
            claims.member("aud", origin)
            claims.member("exp", Int(expiry.milliseconds / 1_000))
            claims.member("sub", contact)
        }
    }
}
