/// The stored form of a device: a fixed head, the token, then one field after the other with its kind and length. A
/// reader passes over kinds it does not know, so that versions of the house can work side by side.
extension Device {
    private static let format: UInt8 = 0x10

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let sandbox = Flags(rawValue: 1)
        static let saysContentAvailable = Flags(rawValue: 2)
        static let contentAvailable = Flags(rawValue: 4)
    }

    private enum Field {
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

    /// Nil for bytes that are no device.
    package init?(packed bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let head = reader.byte(), head & 0xF0 == Device.format, let kind = PushProtocol(rawValue: head & 0x0F),
            let flags = reader.byte().map(Flags.init(rawValue:)), let tag = reader.integer(UInt32.self),
            let created = reader.integer(UInt32.self), let age = reader.variableInteger(),
            let since = UInt32(exactly: age),
            let token = reader.counted().flatMap({ PushToken(kind, packed: $0) })
        else { return nil }
        self.init(tag: tag, token: token, created: created)
        updated = created &+ since
        environment = flags.contains(.sandbox) ? .sandbox : .production
        contentAvailable = flags.contains(.saysContentAvailable) ? flags.contains(.contentAvailable) : nil
        while !reader.isAtEnd {
            guard let field = reader.byte(), let content = reader.counted(), set(field, content) else { return nil }
        }
    }

    /// False for content that is no text where one belongs; what a field we do not know holds is not looked at.
    private mutating func set(_ field: UInt8, _ content: ArraySlice<UInt8>) -> Bool {
        let text = String(validating: content, as: UTF8.self)
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
