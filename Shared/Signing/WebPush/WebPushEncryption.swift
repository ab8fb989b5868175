package import PushModel

/// Encrypts a push for a browser (RFC 8291) as one record of the content encoding `aes128gcm` (RFC 8188).
package enum WebPushEncryption {
    package static let contentEncoding = "aes128gcm"
    /// A body of 4,096 bytes, which every push service has to accept, holds as many bytes of content.
    package static let plaintextBytesMaximum = 3_993
    package static let saltBytes = 16

    /// Uses a fresh key pair and a fresh salt. Takes some 60 microseconds, nearly all of them for the key agreement.
    package static func encrypt(_ plaintext: [UInt8], for keys: WebPushKeys) throws(WebPushError) -> [UInt8] {
        try result(
            EncryptionWorkspace.borrow { workspace in
                workspace.curve.makeKey()
                return encrypt(plaintext, for: keys, salt: SecureRandom.bytes(saltBytes), workspace: workspace)
            })
    }

    /// The same bytes each time, for published vectors: salt and key of a real push must never be used again.
    package static func encryptReproducibly(
        _ plaintext: [UInt8], for keys: WebPushKeys, sender: ECDHKey, salt: [UInt8]
    ) throws(WebPushError) -> [UInt8] {
        precondition(salt.count == saltBytes, "a salt has 16 bytes")
        return try result(
            EncryptionWorkspace.borrow { workspace in
                sender.load(into: workspace.curve)
                return encrypt(plaintext, for: keys, salt: salt, workspace: workspace)
            })
    }

    /// The workspace holds the sender's key, which is forgotten afterwards.
    private static func encrypt(
        _ plaintext: [UInt8], for keys: WebPushKeys, salt: [UInt8], workspace: EncryptionWorkspace
    ) -> Result<[UInt8], WebPushError> {
        defer { workspace.curve.forgetKey() }
        guard plaintext.count <= plaintextBytesMaximum else { return .failure(.tooLarge) }
        guard let senderPoint = workspace.curve.publicPoint() else { return .failure(.failed) }
        guard let agreed = workspace.curve.sharedSecret(with: keys.publicKey) else { return .failure(.notOnCurve) }
        let input = WebPushSecret.input(
            agreed: agreed, secret: keys.secret, browserPoint: keys.publicKey, senderPoint: senderPoint,
            derivation: workspace.derivation)
        let contentKeys = ContentKeys(input: input, salt: salt, derivation: workspace.derivation)
        let header = EncryptedContentHeader(salt: salt, recordBytes: recordBytes, keyID: senderPoint)
        return header.seal([plaintext, lastRecord], keys: contentKeys, cipher: workspace.cipher)
            .map { .success($0) } ?? .failure(.failed)
    }

    private static let recordBytes: UInt32 = 4_096
    /// Delimits content and padding of the last record, and here ends it: a push is not padded.
    private static let lastRecord: [UInt8] = [2]

    private static func result(_ result: Result<[UInt8], WebPushError>) throws(WebPushError) -> [UInt8] {
        try result.get()
    }
}
