package import PushModel

extension WebPushKeys {
    /// Without it, no push can be encrypted for these keys.
    package var isOnCurve: Bool {
        EncryptionWorkspace.borrow { $0.curve.isOnCurve(publicKey) }
    }
}
