import COpenSSL

extension SigningKey {
    /// The uncompressed public point of an EC key on P-256: 65 bytes, in whatever form its file holds it.
    package func publicPoint() throws(SigningError) -> [UInt8] {
        guard algorithm == .es256, let x = coordinate(OSSL_PKEY_PARAM_EC_PUB_X),
            let y = coordinate(OSSL_PKEY_PARAM_EC_PUB_Y)
        else {
            throw SigningError(.failed, message: "OpenSSL failed to read the public key: \(OpenSSLErrors.take())")
        }
        return [4] + x + y
    }

    private func coordinate(_ name: String) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(handle.pointer, name, &number) == 1 else { return nil }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: P256Arithmetic.numberBytes)
        return BN_bn2binpad(number, &bytes, Int32(bytes.count)) == Int32(bytes.count) ? bytes : nil
    }
}
