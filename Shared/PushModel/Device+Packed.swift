import ServiceKit

/// The stored form of a device: a fixed head, the token, then one field after the other with its kind and length. A
/// reader passes over kinds it does not know, so that versions of the house can work side by side.
extension Device {
    static let format: UInt8 = 0x10

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let sandbox = Flags(rawValue: 1)
        static let saysContentAvailable = Flags(rawValue: 2)
        static let contentAvailable = Flags(rawValue: 4)
    }

    enum Field {
        static let language: UInt8 = 1
        static let version: UInt8 = 2
        static let category: UInt8 = 3
        static let timeZone: UInt8 = 4
        /// Added to the alias' own kind.
        static let aliases: UInt8 = 16
    }

    package var packed: [UInt8] {
        var bytes: [UInt8] = [Device.format | token.kind.rawValue, flags.rawValue]
        bytes.append(integer: tag)
        bytes.append(integer: created)
        // Most devices are as old as their last change; the difference then takes a byte and not four.
        bytes.append(variableInteger: Int(updated &- created))
        bytes.append(counted: token.packed)
        let texts = [
            (Field.language, language), (Field.version, version), (Field.category, category),
            (Field.timeZone, timeZone),
        ]
        let names = aliases.sorted { $0.key.rawValue < $1.key.rawValue }.map { (Field.aliases + $0.rawValue, $1) }
        for case (let kind, let text?) in texts + names {
            bytes.append(kind)
            bytes.append(counted: text.utf8)
        }
        return bytes
    }

    /// What stands at a fixed place in a packed device, for stages that choose among many and hand them on as they are.
    package struct PackedHead: Hashable, Sendable {
        package let kind: PushProtocol
        package let tag: UInt32

        /// Nil for bytes that are no device; not everything behind the head is looked at.
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

    /// Nil for bytes that are no device.
    package init?(packed bytes: ArraySlice<UInt8>) {
        guard let glance = DeviceGlance(packed: bytes), let token = glance.token else { return nil }
        self.init(tag: glance.tag, token: token, created: glance.created)
        updated = glance.updated
        environment = glance.isSandbox ? .sandbox : .production
        contentAvailable =
            glance.flags.contains(.saysContentAvailable) ? glance.flags.contains(.contentAvailable) : nil
        var reader = ByteReader(glance.fields)
        while !reader.isAtEnd {
            guard let field = reader.byte(), let content = reader.counted(), set(field, content: content) else {
                return nil
            }
        }
    }

    /// False for content that is no text where one belongs; what a field we do not know holds is not looked at.
    private mutating func set(_ field: UInt8, content: ArraySlice<UInt8>) -> Bool {
        let text = OutsideText.string(content)
        switch field {
        case Field.language: language = text
        case Field.version: version = text
        case Field.category: category = text
        case Field.timeZone: timeZone = text
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
        return flags
    }
}
