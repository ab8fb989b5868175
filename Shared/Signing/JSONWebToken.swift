import PushModel

/// A token as it was received, taken apart. Nothing is believed about it until `isSigned` says so.
package struct JSONWebToken: Sendable {
    /// JSON text, for the caller to read.
    package let header: [UInt8]
    /// JSON text, for the caller to read.
    package let claims: [UInt8]
    private let input: [UInt8]
    private let signature: [UInt8]

    /// Nil when it is not three parts of base64url.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        input = Array((parts[0] + "." + parts[1]).utf8)
    }

    /// The algorithm is the key's own. What the header claims does not matter, so nobody can choose a weaker one.
    package func isSigned(by key: VerificationKey) -> Bool {
        key.isSignature(signature, of: input)
    }

    static func part(_ json: String) -> String {
        Base64URL.encode(Array(json.utf8))
    }
}
