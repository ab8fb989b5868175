import COpenSSL

/// HKDF with SHA-256 and at most one block of output (RFC 5869), with a context that is used again: OpenSSL's own
/// function looks up both algorithms for each key. One thread at a time.
package final class KeyDerivation {
    private static let blockBytes = 64

    private let algorithm: OpaquePointer
    private let context: OpaquePointer

    package init() {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil), let context = EVP_MD_CTX_new() else {
            preconditionFailure("OpenSSL does not provide SHA-256: \(OpenSSLErrors.take())")
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(algorithm)
    }

    package func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] {
        code(for: secret, under: salt)
    }

    /// At most 32 bytes.
    package func expand(_ key: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
        precondition(byteCount <= SHA256.byteCount, "one block of output has 32 bytes")
        return Array(code(for: info + [1], under: key).prefix(byteCount))
    }

    /// HMAC-SHA-256 (RFC 2104).
    private func code(for message: [UInt8], under key: [UInt8]) -> [UInt8] {
        let short = key.count > KeyDerivation.blockBytes ? SHA256.digest(of: key) : key
        let inner = digest(of: message, after: block(short, mask: 0x36))
        return digest(of: inner, after: block(short, mask: 0x5C))
    }

    private func block(_ key: [UInt8], mask: UInt8) -> [UInt8] {
        var block = [UInt8](repeating: mask, count: KeyDerivation.blockBytes)
        for (position, byte) in key.enumerated() { block[position] ^= byte }
        return block
    }

    private func digest(of message: [UInt8], after block: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
        let status =
            EVP_DigestInit_ex2(context, algorithm, nil) & EVP_DigestUpdate(context, block, block.count)
            & EVP_DigestUpdate(context, message, message.count) & EVP_DigestFinal_ex(context, &digest, nil)
        precondition(status == 1, "OpenSSL cannot compute a SHA-256: \(OpenSSLErrors.take())")
        return digest
    }
}
