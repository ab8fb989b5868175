import PushModel
package import ServiceKit

/// Makes signed tokens (JWS compact form) under one key.
package struct JWTSigner: Sendable {
    private let key: SigningKey
    private let header: String

    /// `keyID` is the provider's id of the key.
    package init(key: SigningKey, keyID: String? = nil) {
        self.key = key
        header = JSONText.object { header in
            header.member("alg", key.algorithm.rawValue)
            header.member("typ", "JWT")
            if let keyID { header.member("kid", keyID) }
        }
    }

    package func sign(_ claims: (inout JSONText) -> Void) throws(SigningError) -> Secret {
        let input = JSONWebToken.part(header) + "." + JSONWebToken.part(JSONText.object(claims))
        return Secret(input + "." + Base64URL.encode(try key.sign(Array(input.utf8))))
    }
}
