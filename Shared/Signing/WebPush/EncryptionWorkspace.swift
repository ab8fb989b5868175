import Synchronization

/// OpenSSL's objects for the encryption of one message at a time.
///
/// `@unchecked Sendable`: `borrow` lends each to one thread at a time.
final class EncryptionWorkspace: @unchecked Sendable {
    let curve = P256Arithmetic()
    let derivation = KeyDerivation()
    let cipher = AES128GCM()

    /// At most one for each thread that ever encrypted at the same time as others.
    private static let idle = Mutex<[EncryptionWorkspace]>([])

    static func borrow<Value>(_ use: (EncryptionWorkspace) -> Value) -> Value {
        let workspace = idle.withLock { $0.popLast() } ?? EncryptionWorkspace()
        defer { idle.withLock { $0.append(workspace) } }
        return use(workspace)
    }
}
