package import PushModel
import ServiceKit

/// Values that differ by a number or a text.
package enum Samples {
    package static func token(_ number: Int) throws -> PushToken {
        let digits = String(number, radix: 16)
        return try PushToken(.apns, text: String(repeating: "0", count: 64 - digits.count) + digits)
    }

    package static func topic(_ number: Int) throws -> TopicName {
        try TopicName("topic \(number)")
    }

    package static func user(_ name: String) throws -> Alias {
        try Alias(.externalUser, value: name)
    }

    package static func device(_ number: Int, updated: UInt32? = nil, user: String? = nil) throws -> Device {
        var device = Device(
            tag: UInt32(truncatingIfNeeded: number &* 0x9E37_79B1), token: try token(number), created: 1_700_000_000)
        if let updated { device.updated = updated }
        if let user { device.aliases[.externalUser] = user }
        return device
    }
}

extension Samples {
    /// An app that no other test uses, for servers that many tests share.
    package static func freshApp() -> AppID {
        guard let app = try? AppID("app-\(SystemRandomSource().hexadecimal())") else {
            preconditionFailure("sixteen digits are a valid app name")
        }
        return app
    }

    /// A random id, which is not derived from a request.
    package static func freshTask() -> TaskID {
        let random = SystemRandomSource()
        return TaskID(high: random.next() & ~0xF000 | 0x4000, low: random.next())
    }
}
