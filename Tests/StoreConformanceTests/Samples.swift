import PushModel

/// Values that differ by a number.
enum Samples {
    static func token(_ number: Int) throws -> PushToken {
        let digits = String(number, radix: 16)
        return try PushToken(.apns, text: String(repeating: "0", count: 64 - digits.count) + digits)
    }

    static func topic(_ number: Int) throws -> TopicName {
        try TopicName("topic \(number)")
    }

    static func user(_ name: String) throws -> Alias {
        try Alias(.externalUser, value: name)
    }

    static func device(_ number: Int, user: String? = nil) throws -> Device {
        var device = Device(
            tag: UInt32(truncatingIfNeeded: number &* 0x9E37_79B1), token: try token(number), created: 1_700_000_000)
        if let user { device.aliases[.externalUser] = user }
        return device
    }
}

extension Audience {
    static func topic(_ text: String) throws -> Audience { .topic(try TopicName(text)) }
}
