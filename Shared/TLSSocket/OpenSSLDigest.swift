import COpenSSL

/// SHA-1, by which Redis identifies scripts. The process ends if OpenSSL's policy forbids it.
package enum OpenSSLDigest {
    private static let sha1ByteCount = 20

    package static func sha1(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: sha1ByteCount)
        let status = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        precondition(status == 1, "OpenSSL has no SHA-1: \(TLSErrors.take())")
        return digest
    }
}
