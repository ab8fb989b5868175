import COpenSSL

/// Owns an OpenSSL key, private or public, and frees it with the last reference.
///
/// `@unchecked Sendable`: a key is immutable after creation, and OpenSSL locks what it caches inside one.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Description of the key for errors.
    var kind: String {
        if isKind("EC") { return "an EC key on the curve \(curve ?? "(unnamed)")" }
        if isKind("RSA") { return "an RSA key of \(EVP_PKEY_get_bits(pointer)) bits" }
        return "a key of another type"
    }

    func fits(_ algorithm: SigningAlgorithm) -> Bool {
        switch algorithm {
        case .es256: isKind("EC") && curve == "prime256v1"
        case .rs256, .ps256: isKind("RSA") && EVP_PKEY_get_bits(pointer) >= 2_048
        }
    }

    private func isKind(_ name: String) -> Bool {
        EVP_PKEY_is_a(pointer, name) == 1
    }

    private var curve: String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
