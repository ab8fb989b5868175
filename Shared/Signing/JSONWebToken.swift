import PushModel

/// A received token, split into its parts. Its content is untrusted until `isSigned` returns true.
package struct JSONWebToken: Sendable {
    /// JSON text, parsed by the caller.
    package let header: [UInt8]
    /// JSON text, parsed by the caller.
    package let claims: [UInt8]
    private let input: [UInt8]
    private let signature: [UInt8]

    /// Nil unless the text is three parts of base64url.
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

    /// Uses the key's own algorithm and ignores the header's claim, so that a sender cannot choose a weaker one.
    package func isSigned(by key: VerificationKey) -> Bool {
        key.isSignature(signature, of: input)
    }

    /// For tokens of HS256. The caller checks the header's claim.
    package func isSigned(by key: HMACKey) -> Bool {
        key.isCode(signature, for: input)
    }

    static func part(_ json: String) -> String {
        Base64URL.encode(Array(json.utf8))
    }
}
