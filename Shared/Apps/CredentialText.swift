import JSONKit
import ServiceKit

/// JSON format of a credential in an app file.
enum CredentialText {
    static let hashShape = "hmac-sha256: and 64 hexadecimal digits, as written by carillon apps rotate"
    private static let hashMarker = "hmac-sha256:"

    static func hash(_ text: String) -> [UInt8]? {
        guard text.hasPrefix(hashMarker), let bytes = Hexadecimal.decode(String(text.dropFirst(hashMarker.count))),
            bytes.count == 32
        else { return nil }
        return bytes
    }

    static func json(_ credential: Credential) -> JSON {
        var object = JSONObject([
            ("id", .string(credential.id)),
            ("hash", .string(hashMarker + Hexadecimal.encode(credential.hash))),
            ("scopes", scopes(credential.scopes)),
            ("created", .string(credential.created.description)),
        ])
        if credential.rights.isPublic { object["public"] = .bool(true) }
        let origins = credential.rights.origins
        if !origins.isEmpty { object["origins"] = .array(origins.map { .string("\($0)") }) }
        if let expires = credential.expires { object["expires"] = .string(expires.description) }
        return .object(object)
    }

    static func scopes(_ scopes: Set<Scope>) -> JSON {
        .array(scopes.sorted().map { .string($0.rawValue) })
    }
}
