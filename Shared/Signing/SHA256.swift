import COpenSSL

package enum SHA256 {
    package static let byteCount = 32

    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let status = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        precondition(status == 1, "OpenSSL does not provide SHA-256: \(OpenSSLErrors.take())")
        return digest
    }
}
