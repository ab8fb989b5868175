import ServiceKit

/// The stored form of a device: a fixed head, the token, then fields with kind and length. A reader skips unknown
/// kinds, so that different versions of Carillon can run side by side.
extension Device {
    static let format: UInt8 = 0x10

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let sandbox = Flags(rawValue: 1)
        static let saysContentAvailable = Flags(rawValue: 2)
        static let contentAvailable = Flags(rawValue: 4)
        static let reportsMoments = Flags(rawValue: 8)
    }

    enum Field {
        static let language: UInt8 = 1
        static let version: UInt8 = 2
        static let category: UInt8 = 3
        static let timeZone: UInt8 = 4
        static let appVersion: UInt8 = 5
        static let webPushKeys: UInt8 = 6
        static let startTokens: UInt8 = 7
        /// Added to the alias' own kind.
        static let aliases: UInt8 = 16
    }

    package var packed: [UInt8] {
        var bytes: [UInt8] = [Device.format | token.kind.rawValue, flags.rawValue]
        bytes.append(integer: tag)
        bytes.append(integer: created)
        // Most devices were created at their last change; the difference then takes one byte instead of four.
        bytes.append(variableInteger: Int(updated &- created))
        bytes.append(counted: token.packed)
        let texts = [
            (Field.language, language), (Field.version, version), (Field.category, category),
            (Field.timeZone, timeZone), (Field.appVersion, appVersion),
        ]
        let names = aliases.sorted { $0.key.rawValue < $1.key.rawValue }.map { (Field.aliases + $0.rawValue, $1) }
        for case (let kind, let text?) in texts + names {
            bytes.append(kind)
            bytes.append(counted: text.utf8)
        }
        if let webPushKeys {
            bytes.append(Field.webPushKeys)
            bytes.append(counted: webPushKeys.packed)
        }
        if !startTokens.isEmpty {
            bytes.append(Field.startTokens)
            bytes.append(counted: startTokens.packed)
        }
        return bytes
    }

    /// The fixed-position fields of a packed device, for stages that only choose devices and pass them on.
    package struct PackedHead: Hashable, Sendable {
        package let kind: PushProtocol
        package let tag: UInt32

        /// Nil if the head is not that of a device; the rest is not checked completely.
        package init?(_ bytes: ArraySlice<UInt8>) {
            let start = bytes.startIndex
            guard bytes.count >= 6, bytes[start] & 0xF0 == Device.format,
                let kind = PushProtocol(rawValue: bytes[start] & 0x0F)
            else { return nil }
            self.kind = kind
            // The byte between them holds flags.
            tag = (2..<6).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1 - 2)) }
        }
    }

    /// Nil if the bytes are not a device.
    package init?(packed bytes: ArraySlice<UInt8>) {
        guard let glance = DeviceGlance(packed: bytes), let token = glance.token else { return nil }
        self.init(tag: glance.tag, token: token, created: glance.created)
        updated = glance.updated
        environment = glance.isSandbox ? .sandbox : .production
        contentAvailable =
            glance.flags.contains(.saysContentAvailable) ? glance.flags.contains(.contentAvailable) : nil
        reportsMoments = glance.flags.contains(.reportsMoments)
        var reader = ByteReader(glance.fields)
        while !reader.isAtEnd {
            guard let field = reader.byte(), let content = reader.counted(), set(field, content: content) else {
                return nil
            }
        }
    }

    /// False if the content of a known field cannot be read; that of unknown fields is ignored.
    private mutating func set(_ field: UInt8, content: ArraySlice<UInt8>) -> Bool {
        switch field {
        case Field.webPushKeys:
            webPushKeys = WebPushKeys(packed: content)
            return webPushKeys != nil
        case Field.startTokens:
            guard let tokens = StartTokens(packed: content) else { return false }
            startTokens = tokens
            return true
        default: return setText(field, content: content)
        }
    }

    private mutating func setText(_ field: UInt8, content: ArraySlice<UInt8>) -> Bool {
        let text = OutsideText.string(content)
        switch field {
        case Field.language: language = text
        case Field.version: version = text
        case Field.category: category = text
        case Field.timeZone: timeZone = text
        case Field.appVersion: appVersion = text
        default:
            guard field > Field.aliases, let kind = Alias.Kind(rawValue: field - Field.aliases) else { return true }
            aliases[kind] = text
        }
        return text != nil
    }

    private var flags: Flags {
        var flags: Flags = environment == .sandbox ? [.sandbox] : []
        if let contentAvailable {
            flags.insert(.saysContentAvailable)
            if contentAvailable { flags.insert(.contentAvailable) }
        }
        if reportsMoments { flags.insert(.reportsMoments) }
        return flags
    }
}
