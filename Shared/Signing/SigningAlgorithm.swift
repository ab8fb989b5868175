/// A signature algorithm; the raw value is its name in a JWT header.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA over P-256: Apple, VAPID.
    case es256 = "ES256"
    /// RSA with PKCS #1 v1.5 padding: Google.
    case rs256 = "RS256"
    /// RSA with PSS padding, its salt as long as the digest: Huawei.
    case ps256 = "PS256"

    /// The required key, for errors.
    var keyRequirement: String {
        switch self {
        case .es256: "an EC key on the curve P-256"
        case .rs256, .ps256: "an RSA key of at least 2,048 bits"
        }
    }
}
