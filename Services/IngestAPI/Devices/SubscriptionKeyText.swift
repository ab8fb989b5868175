import PushModel
import ServiceKit
import Signing

/// The keys of a browser's subscription as clients send them: in base64url, as browsers do, or in the standard alphabet,
/// with or without padding.
enum SubscriptionKeyText {
    static let publicKeyRule =
        "the browser's p256dh: \(WebPushKeys.publicKeyBytes) bytes in base64url, an uncompressed point of P-256"
    static let secretRule = "the browser's auth: \(WebPushKeys.secretBytes) bytes in base64url"

    private static let bytesMaximum = 128

    /// A point that is not on the curve would fail at every push, or leak bits of the sender's key.
    static func publicKey(_ text: String) throws(InvalidValueError) -> [UInt8] {
        guard let bytes = decode(text), bytes.count == WebPushKeys.publicKeyBytes, bytes[0] == 4 else {
            throw InvalidValueError("expected \(publicKeyRule)")
        }
        guard VerificationKey(p256Point: bytes) != nil else {
            throw InvalidValueError("not a point of the curve P-256; expected \(publicKeyRule)")
        }
        return bytes
    }

    static func secret(_ text: String) throws(InvalidValueError) -> [UInt8] {
        guard let bytes = decode(text), bytes.count == WebPushKeys.secretBytes else {
            throw InvalidValueError("expected \(secretRule)")
        }
        return bytes
    }

    private static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= bytesMaximum else { return nil }
        var characters = Array(text.utf8)
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        let urlSafe = characters.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        return OutsideText.string(urlSafe).flatMap(Base64URL.decode)
    }
}
