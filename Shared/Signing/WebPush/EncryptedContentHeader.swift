/// The beginning of a body with the content encoding `aes128gcm` (RFC 8188, section 2.1).
package struct EncryptedContentHeader: Sendable, Equatable {
    package let salt: [UInt8]
    package let recordBytes: UInt32
    /// In a push, the sender's point.
    package let keyID: [UInt8]

    init(salt: [UInt8], recordBytes: UInt32, keyID: [UInt8]) {
        self.salt = salt
        self.recordBytes = recordBytes
        self.keyID = keyID
    }

    /// Nil unless the body holds all of it.
    package init?(_ body: [UInt8]) {
        guard body.count >= EncryptedContentHeader.fixedBytes else { return nil }
        let keyIDBytes = Int(body[EncryptedContentHeader.fixedBytes - 1])
        guard body.count >= EncryptedContentHeader.fixedBytes + keyIDBytes else { return nil }
        salt = Array(body.prefix(WebPushEncryption.saltBytes))
        recordBytes = body[WebPushEncryption.saltBytes..<EncryptedContentHeader.fixedBytes - 1]
            .reduce(0) { $0 << 8 | UInt32($1) }
        keyID = Array(body.dropFirst(EncryptedContentHeader.fixedBytes).prefix(keyIDBytes))
    }

    /// Salt, size of a record, and the length of the key's id.
    private static let fixedBytes = WebPushEncryption.saltBytes + 4 + 1

    package var byteCount: Int { EncryptedContentHeader.fixedBytes + keyID.count }

    /// The header and one record of the concatenated parts.
    func seal(_ parts: [[UInt8]], keys: ContentKeys, cipher: AES128GCM) -> [UInt8]? {
        let recordBytes = parts.reduce(AES128GCM.tagBytes) { $0 + $1.count }
        var isSealed = false
        let body = [UInt8](unsafeUninitializedCapacity: byteCount + recordBytes) { bytes, count in
            let end = bytes.update(fromContentsOf: salt + bigEndianRecordBytes + [UInt8(keyID.count)] + keyID)
            isSealed = bytes.baseAddress.map { cipher.seal(parts, keys: keys, into: $0 + end) } ?? false
            count = isSealed ? end + recordBytes : 0
        }
        return isSealed ? body : nil
    }

    private var bigEndianRecordBytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: recordBytes >> $0) }
    }
}
