import COpenSSL
package import ServiceKit

/// A private key and its signing algorithm. Shared by all signers; its description reveals nothing.
package final class SigningKey: Sendable {
    package let algorithm: SigningAlgorithm
    /// Verifies signatures made by this key.
    package let verificationKey: VerificationKey
    let handle: KeyHandle

    /// Reads a PEM file: Apple's `.p8`, or any other private key in PKCS #8 or the older forms.
    package convenience init(file: String, for algorithm: SigningAlgorithm) throws(SigningError) {
        try self.init(PrivateKeyText.read(file: file), for: algorithm)
    }

    /// Takes PEM text from another place, such as the `private_key` of a service account's file. `source` names that
    /// place in errors.
    package convenience init(pem: Secret, from source: String, for algorithm: SigningAlgorithm) throws(SigningError) {
        try self.init(PrivateKeyText(pem: pem, source: source), for: algorithm)
    }

    private convenience init(_ text: PrivateKeyText, for algorithm: SigningAlgorithm) throws(SigningError) {
        let handle = try text.parse()
        guard handle.fits(algorithm) else {
            throw SigningError(
                .unsuitable,
                message: """
                    \(text.source) holds \(handle.kind), and \(algorithm.rawValue) needs \(algorithm.keyRequirement): \
                    use the key that the provider issued for it
                    """)
        }
        self.init(handle, algorithm: algorithm)
    }

    init(_ handle: KeyHandle, algorithm: SigningAlgorithm) {
        self.handle = handle
        self.algorithm = algorithm
        verificationKey = VerificationKey(handle, algorithm: algorithm)
    }

    /// The signature in the form that JWS requires. Takes microseconds for ES256 and about a millisecond for RSA.
    package func sign(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
        guard let signature = digestAndSign(message) else {
            throw SigningError(.failed, message: "OpenSSL failed to sign: \(OpenSSLErrors.take())")
        }
        guard algorithm == .es256 else { return signature }
        guard let pair = ECDSASignature.pair(fromDER: signature) else {
            throw SigningError(.failed, message: "OpenSSL returned an invalid signature: \(OpenSSLErrors.take())")
        }
        return pair
    }

    private func digestAndSign(_ message: [UInt8]) -> [UInt8]? {
        guard let digest = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(digest) }
        var options: OpaquePointer?
        guard EVP_DigestSignInit(digest, &options, EVP_sha256(), nil, handle.pointer) == 1,
            algorithm.setPadding(options)
        else { return nil }
        var length = 0
        guard EVP_DigestSign(digest, nil, &length, message, message.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(digest, &signature, &length, message, message.count) == 1 else { return nil }
        // OpenSSL first reports the maximum size of a signature.
        return Array(signature.prefix(length))
    }
}
