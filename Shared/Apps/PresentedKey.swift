import PushModel
import ServiceKit

/// Extracts the key from an `Authorization` header of any supported scheme, or from the query.
package enum PresentedKey {
    /// Several times the longest key; a longer header is not parsed.
    private static let bytesMaximum = 1_024

    /// The key to pass to `access`. Nil without a header; empty, which is never a valid key, if the header contains no
    /// key, so that the request is refused. `Basic` holds the key as the password, or as the user name without a
    /// password.
    package static func text(inAuthorization header: String?) -> String? {
        guard let header else { return nil }
        guard header.utf8.count <= bytesMaximum else { return "" }
        let parts = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, let scheme = OutsideText.string(parts[0]) else { return "" }
        let value = parts[1].filter { $0 != UInt8(ascii: " ") }
        switch scheme.lowercased() {
        case "bearer", "token", "oauth": return OutsideText.string(value) ?? ""
        case "basic": return password(inBasic: value) ?? ""
        default: return ""
        }
    }

    /// The same for the value of a query parameter.
    package static func text(inQuery value: String?) -> String? {
        guard let value else { return nil }
        return value.utf8.count <= bytesMaximum ? value : ""
    }

    private static func password(inBasic base64: [UInt8]) -> String? {
        let alphabet = base64.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        guard let bytes = OutsideText.string(alphabet).flatMap({ Base64URL.decode($0) }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let password = bytes[(colon + 1)...]
        return OutsideText.string(password.isEmpty ? bytes[..<colon] : password)
    }
}
