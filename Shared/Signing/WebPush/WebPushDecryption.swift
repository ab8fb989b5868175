import PushModel

/// What a browser does with a push it receives. The product needs it for the simulator; tests compare it with published
/// vectors.
package enum WebPushDecryption {
    /// The key is the private one of the subscription's public key, the secret its `auth`.
    package static func decrypt(
        _ body: [UInt8], key: ECDHKey, secret: [UInt8]
    ) throws(WebPushError) -> [UInt8] {
        guard secret.count == WebPushKeys.secretBytes else { throw .failed }
        guard let header = EncryptedContentHeader(body) else { throw .truncated }
        guard header.keyID.count == P256Arithmetic.pointBytes else { throw .notOnCurve }
        let input = EncryptionWorkspace.borrow { workspace -> [UInt8]? in
            key.load(into: workspace.curve)
            defer { workspace.curve.forgetKey() }
            guard let agreed = workspace.curve.sharedSecret(with: header.keyID) else { return nil }
            return WebPushSecret.input(
                agreed: agreed, secret: secret, browserPoint: key.publicPoint, senderPoint: header.keyID,
                derivation: workspace.derivation)
        }
        guard let input else { throw .notOnCurve }
        return try decrypt(body, header: header, input: input)
    }

    /// For any secret that both sides know; the id of the key is not looked at.
    package static func decrypt(_ body: [UInt8], input: [UInt8]) throws(WebPushError) -> [UInt8] {
        guard let header = EncryptedContentHeader(body) else { throw .truncated }
        return try decrypt(body, header: header, input: input)
    }

    private static func decrypt(
        _ body: [UInt8], header: EncryptedContentHeader, input: [UInt8]
    ) throws(WebPushError) -> [UInt8] {
        let record = Array(body.dropFirst(header.byteCount))
        // A record without content holds the delimiter and the tag.
        guard record.count > AES128GCM.tagBytes else { throw .truncated }
        guard record.count <= header.recordBytes else { throw .severalRecords }
        let plain = EncryptionWorkspace.borrow { workspace in
            let keys = ContentKeys(input: input, salt: header.salt, derivation: workspace.derivation)
            return workspace.cipher.open(record, keys: keys)
        }
        guard let plain else { throw .notAuthentic }
        guard let delimiter = plain.lastIndex(where: { $0 != 0 }), plain[delimiter] == 2 else { throw .notDelimited }
        return Array(plain[..<delimiter])
    }
}
