import COpenSSL
package import ServiceKit

extension SigningKey {
    /// A new key without any other copy: for experiments, not for keys registered with a provider.
    package static func generated(for algorithm: SigningAlgorithm) throws(SigningError) -> SigningKey {
        guard let key = newKey(for: algorithm) else {
            throw SigningError(.failed, message: "OpenSSL failed to generate a key: \(OpenSSLErrors.take())")
        }
        return SigningKey(KeyHandle(owning: key), algorithm: algorithm)
    }

    /// The private key in PEM form (PKCS #8, without a passphrase).
    package func privateKeyText() throws(SigningError) -> Secret {
        let text = PEMText.write { PEM_write_bio_PKCS8PrivateKey($0, handle.pointer, nil, nil, 0, nil, nil) }
        guard let text else {
            throw SigningError(.failed, message: "OpenSSL failed to encode the key: \(OpenSSLErrors.take())")
        }
        return Secret(text)
    }

    private static func newKey(for algorithm: SigningAlgorithm) -> OpaquePointer? {
        guard let maker = EVP_PKEY_CTX_new_from_name(nil, algorithm == .es256 ? "EC" : "RSA", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(maker) }
        guard EVP_PKEY_keygen_init(maker) == 1 else { return nil }
        let isChosen =
            switch algorithm {
            case .es256: EVP_PKEY_CTX_set_group_name(maker, "P-256")
            case .rs256, .ps256: EVP_PKEY_CTX_set_rsa_keygen_bits(maker, 2_048)
            }
        var key: OpaquePointer?
        return isChosen == 1 && EVP_PKEY_generate(maker, &key) == 1 ? key : nil
    }
}
