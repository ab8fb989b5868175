import COpenSSL

/// AES-128-GCM with a context that is used again. One thread at a time.
final class AES128GCM {
    static let tagBytes = 16

    private let algorithm: OpaquePointer
    private let context: OpaquePointer

    init() {
        guard let algorithm = EVP_CIPHER_fetch(nil, "AES-128-GCM", nil), let context = EVP_CIPHER_CTX_new() else {
            preconditionFailure("OpenSSL does not provide AES-128-GCM: \(OpenSSLErrors.take())")
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
        EVP_CIPHER_free(algorithm)
    }

    /// Writes ciphertext and tag of the concatenated parts, which must have room there.
    func seal(_ parts: [[UInt8]], keys: ContentKeys, into output: UnsafeMutablePointer<UInt8>) -> Bool {
        guard EVP_EncryptInit_ex2(context, algorithm, keys.key, keys.nonce, nil) == 1 else { return false }
        var position = 0
        for part in parts {
            var written: Int32 = 0
            guard EVP_EncryptUpdate(context, output + position, &written, part, Int32(part.count)) == 1 else {
                return false
            }
            position += Int(written)
        }
        var written: Int32 = 0
        return EVP_EncryptFinal_ex(context, output + position, &written) == 1
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, Int32(AES128GCM.tagBytes), output + position) == 1
    }

    /// Nil unless the tag at the end is that of the ciphertext before it.
    func open(_ sealed: [UInt8], keys: ContentKeys) -> [UInt8]? {
        defer { ERR_clear_error() }
        let count = sealed.count - AES128GCM.tagBytes
        guard count >= 0, EVP_DecryptInit_ex2(context, algorithm, keys.key, keys.nonce, nil) == 1 else { return nil }
        var plain = [UInt8](repeating: 0, count: count)
        var tag = Array(sealed.suffix(AES128GCM.tagBytes))
        var (written, rest): (Int32, Int32) = (0, 0)
        let isOpened = plain.withUnsafeMutableBufferPointer { bytes in
            EVP_DecryptUpdate(context, bytes.baseAddress, &written, sealed, Int32(count)) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
                && EVP_DecryptFinal_ex(context, nil, &rest) == 1
        }
        return isOpened && Int(written) == count ? plain : nil
    }
}
