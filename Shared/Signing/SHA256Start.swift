import COpenSSL

/// The hash state of a prefix shared by many messages.
final class SHA256Start: @unchecked Sendable {
    /// Only copied after `init`, which OpenSSL allows from several threads.
    private let context: OpaquePointer

    init(_ bytes: [UInt8]) {
        context = SHA256Start.newContext()
        let status = EVP_DigestInit_ex(context, EVP_sha256(), nil) & EVP_DigestUpdate(context, bytes, bytes.count)
        precondition(status == 1, "OpenSSL does not provide SHA-256: \(OpenSSLErrors.take())")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// The hash of the prefix followed by `rest`.
    func finish(_ rest: [UInt8]) -> [UInt8] {
        let copy = SHA256Start.newContext()
        defer { EVP_MD_CTX_free(copy) }
        var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
        let status =
            EVP_MD_CTX_copy_ex(copy, context) & EVP_DigestUpdate(copy, rest, rest.count)
            & EVP_DigestFinal_ex(copy, &digest, nil)
        precondition(status == 1, "OpenSSL cannot continue a SHA-256: \(OpenSSLErrors.take())")
        return digest
    }

    private static func newContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("OpenSSL is out of memory") }
        return context
    }
}
