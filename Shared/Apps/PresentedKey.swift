import PushModel

/// Where the dialects' clients put a key: an `Authorization` header of one of several schemes.
package enum PresentedKey {
    /// What to ask `access` about. Nil without a header; empty, which no key is, when the header holds none: whoever sends
    /// one means to be let in by it. `Basic` carries the key as the password, or as the user's name without a password.
    package static func text(inAuthorization header: String?) -> String? {
        guard let header else { return nil }
        let parts = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map { String(Substring($0)) }
        guard parts.count == 2 else { return "" }
        let value = String(decoding: parts[1].utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        switch parts[0].lowercased() {
        case "bearer", "token", "oauth": return value
        case "basic": return password(inBasic: value) ?? ""
        default: return ""
        }
    }

    private static func password(inBasic base64: String) -> String? {
        let alphabet = base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        guard let bytes = Base64URL.decode(String(alphabet)),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        let password = text[text.index(after: colon)...]
        return String(password.isEmpty ? text[..<colon] : password)
    }
}
