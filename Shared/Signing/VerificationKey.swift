import COpenSSL

/// A public key and the algorithm whose signatures it checks.
package struct VerificationKey: Sendable {
    package let algorithm: SigningAlgorithm
    private let handle: KeyHandle

    init(_ handle: KeyHandle, algorithm: SigningAlgorithm) {
        self.handle = handle
        self.algorithm = algorithm
    }

    /// An ES256 key from its uncompressed point on P-256 (65 bytes, the first of them 4), as in VAPID. Nil if the point
    /// is not on the curve.
    package init?(p256Point point: [UInt8]) {
        guard let handle = VerificationKey.key(p256Point: point) else {
            ERR_clear_error()
            return nil
        }
        self.init(handle, algorithm: .es256)
    }

    /// True if the private key of this key signed the message; the signature is in the form of JWS.
    package func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        // OpenSSL's errors about a wrong signature would otherwise show up in an unrelated error.
        defer { ERR_clear_error() }
        var signature = signature
        if algorithm == .es256 {
            guard let der = ECDSASignature.der(fromPair: signature) else { return false }
            signature = der
        }
        guard let digest = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(digest) }
        var options: OpaquePointer?
        return EVP_DigestVerifyInit(digest, &options, EVP_sha256(), nil, handle.pointer) == 1
            && algorithm.setPadding(options)
            && EVP_DigestVerify(digest, signature, signature.count, message, message.count) == 1
    }

    private static func key(p256Point point: [UInt8]) -> KeyHandle? {
        guard point.count == 65, point.first == 4 else { return nil }
        let key = (p256KeyPrefix + point).withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return d2i_PUBKEY(nil, &position, bytes.count)
        }
        return key.map { KeyHandle(owning: $0) }
    }

    /// The DER of a public key on P-256 (RFC 5480) up to its point.
    private static let p256KeyPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
}
