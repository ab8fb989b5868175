package import JSONKit
import PushModel

extension TargetEntry {
    /// `["d", id]`, `["a", kind, value]` or `["t", protocol, token]`; compact, since lists are long.
    package var json: JSON {
        switch self {
        case .device(let id): .array([.string("d"), .string("\(id)")])
        case .alias(let alias):
            .array([.string("a"), .integer(Int64(alias.kind.rawValue)), .string(alias.value)])
        case .token(let token): .array([.string("t"), .string(token.kind.name), .string(token.text)])
        }
    }

    package init?(_ json: JSON) {
        guard let parts = json.elements, let word = parts.first?.text, let last = parts.last?.text else { return nil }
        switch (word, parts.count) {
        case ("d", 2):
            guard let id = DeviceID(last) else { return nil }
            self = .device(id)
        case ("a", 3):
            guard case .integer(let raw) = parts[1],
                let kind = UInt8(exactly: raw).flatMap(Alias.Kind.init(rawValue:)),
                let alias = try? Alias(kind, value: last)
            else { return nil }
            self = .alias(alias)
        case ("t", 3):
            guard let kind = parts[1].text.flatMap({ PushProtocol(name: $0) }),
                let token = try? PushToken(kind, text: last)
            else { return nil }
            self = .token(token)
        default: return nil
        }
    }
}
