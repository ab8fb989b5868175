/// The secret input of a push's keys (RFC 8291, section 3.4).
package enum WebPushSecret {
    /// `agreed` is the result of the key agreement; both points are uncompressed.
    package static func input(
        agreed: [UInt8], secret: [UInt8], browserPoint: [UInt8], senderPoint: [UInt8], derivation: KeyDerivation
    ) -> [UInt8] {
        derivation.expand(
            derivation.extract(agreed, salt: secret), info: label + browserPoint + senderPoint, byteCount: 32)
    }

    private static let label = Array("WebPush: info\0".utf8)
}
