import COpenSSL

/// A hash that has taken in the bytes with which many messages begin.
final class SHA256Start: @unchecked Sendable {
    /// Only ever copied once it is made, which OpenSSL allows from several threads.
    private let context: OpaquePointer

    init(_ bytes: [UInt8]) {
        context = SHA256Start.newContext()
        let status = EVP_DigestInit_ex(context, EVP_sha256(), nil) & EVP_DigestUpdate(context, bytes, bytes.count)
        precondition(status == 1, "OpenSSL has no SHA-256: \(OpenSSLErrors.take())")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// The hash of what was taken in and the rest behind it.
    func finish(_ rest: [UInt8]) -> [UInt8] {
        let copy = SHA256Start.newContext()
        defer { EVP_MD_CTX_free(copy) }
        var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
        let status =
            EVP_MD_CTX_copy_ex(copy, context) & EVP_DigestUpdate(copy, rest, rest.count)
            & EVP_DigestFinal_ex(copy, &digest, nil)
        precondition(status == 1, "OpenSSL cannot go on with a SHA-256: \(OpenSSLErrors.take())")
        return digest
    }

    private static func newContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("OpenSSL has no memory") }
        return context
    }
}
