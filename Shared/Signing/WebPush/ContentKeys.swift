/// Key and nonce of one encrypted record (RFC 8188, sections 2.2 and 2.3). Cannot print itself.
package struct ContentKeys: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let key: [UInt8]
    package let nonce: [UInt8]

    /// The input is the secret that both sides know.
    package init(input: [UInt8], salt: [UInt8], derivation: KeyDerivation) {
        let extracted = derivation.extract(input, salt: salt)
        key = derivation.expand(extracted, info: ContentKeys.keyInfo, byteCount: 16)
        nonce = derivation.expand(extracted, info: ContentKeys.nonceInfo, byteCount: 12)
    }

    /// The nonce of the first record, which is the only one of a push.
    private static let nonceInfo = Array("Content-Encoding: nonce\0".utf8)
    private static let keyInfo = Array("Content-Encoding: aes128gcm\0".utf8)

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
