import PushModel
import ServiceKit
import Signing

/// A publisher's key: `ck_<id>_<secret>`. The id identifies the entry in an app file, the secret has 256 random
/// bits. The description omits the secret; only `reveal` returns it, when the key is issued.
package struct APIKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let marker = "ck"
    static let secretLength = 32

    package let id: String
    let secret: [UInt8]

    /// Generates a new key.
    package static func random() -> APIKey {
        APIKey(id: Hexadecimal.encode(SecureRandom.bytes(6)), secret: SecureRandom.bytes(secretLength))
    }

    private init(id: String, secret: [UInt8]) {
        self.id = id
        self.secret = secret
    }

    /// Nil for a malformed key.
    package init?(_ text: String) {
        // The secret may contain the separator.
        let parts = text.utf8.split(separator: UInt8(ascii: "_"), maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 3, parts[0] == APIKey.marker, APIKey.isID(parts[1]), parts[2].utf8.count == 43,
            let secret = Base64URL.decode(parts[2])
        else { return nil }
        self.init(id: parts[1], secret: secret)
    }

    static func isID(_ text: String) -> Bool {
        1...32 ~= text.utf8.count && text.utf8.allSatisfy { $0.isASCIILowercase || $0.isASCIIDigit }
    }

    package func reveal() -> String {
        "\(APIKey.marker)_\(id)_\(Base64URL.encode(secret))"
    }

    package var description: String { "\(APIKey.marker)_\(id)_[secret]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
