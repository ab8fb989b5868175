import PushModel
import Store

/// The values of a device's fields that every dialect accepts. Names of fields are the dialects' own, except those of
/// identifiers.
enum DeviceFields {
    static let badgeMaximum = RegistryBounds.badgeMaximum
    /// Far more than the allowed subscriptions need, so that a request with too many gets an error that says so.
    static let bodyBytesMaximum = 2 << 20

    /// Names of the device in other systems, apart from its user.
    static let identifiers: [(name: String, kind: Alias.Kind)] = [
        ("hwid", .hardware), ("appmetrica_device_id", .appMetricaDevice), ("ios_ifa", .appleAdvertising),
        ("google_aid", .googleAdvertising), ("huawei_oaid", .huaweiAdvertising),
    ]

    static func text(_ text: String) throws(InvalidValueError) -> String {
        guard RegistryBounds.isText(text) else {
            throw InvalidValueError(
                "expected at most \(RegistryBounds.textBytesMaximum) bytes without control characters")
        }
        return text
    }

    static func timeZone(_ text: String) throws(InvalidValueError) -> String {
        let text = try self.text(text)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw InvalidValueError("expected a time zone name such as Europe/Berlin")
        }
        return text
    }

    static func environment(_ text: String) throws(InvalidValueError) -> Device.Environment {
        guard let environment = Device.Environment(rawValue: text) else {
            throw InvalidValueError("expected production or sandbox")
        }
        return environment
    }

    /// An empty text removes the alias.
    static func alias(_ text: String, kind: Alias.Kind) throws(InvalidValueError) -> String {
        text.isEmpty ? "" : try Alias(kind, value: text).value
    }
}
