import JSONKit
import PushModel
import ServiceKit
import Store

/// A device as Pushwoosh's SDK registers it. Fields without a use here, such as `tags`, are ignored: every call has
/// some.
struct PushwooshDeviceForm: Sendable {
    private static let types = "1 (iOS), 3 (Android), 17 (Huawei), or 10, 11 or 12 (a browser) with subscription"
    private static let hour = 3_600

    let hwid: Alias
    let token: PushToken
    let changes: DeviceChanges

    /// Nil if there are errors, which are added to the problems of the fields.
    init?(_ fields: JSONFields, addresses: DeviceAddressRules) {
        let hwid = fields.hwid()
        let kind = fields.value("device_type", expected: "one of \(PushwooshDeviceForm.types)", isRequired: true) {
            PushwooshDeviceForm.kind($0)
        }
        var changes = DeviceChanges()
        var token: PushToken?
        if kind == .webpush {
            let subscription = fields.object("subscription", isRequired: true)
                .flatMap { BrowserSubscription($0, addresses: addresses) }
            changes.webPushKeys = subscription?.keys
            token = subscription?.token
        } else if let kind {
            token = fields.text("push_token", expected: PushToken.rule(of: kind), isRequired: true) {
                try? addresses.token(kind, text: $0)
            }
        }
        changes.environment = fields.text("gateway", expected: "sandbox or production") {
            try? DeviceFields.environment($0)
        }
        changes.language = fields.checked("language", DeviceFields.text)
        changes.timeZone = PushwooshDeviceForm.timeZone(in: fields)
        changes.appVersion = fields.checked("app_version", DeviceFields.text)
        changes.version =
            fields.checked("os_version", DeviceFields.text) ?? fields.checked("system_version", DeviceFields.text)
        changes.aliases[.externalUser] = fields.user()
        changes.aliases[.hardware] = hwid?.value
        guard fields.problems.all.isEmpty, let hwid, let token else { return nil }
        self.hwid = hwid
        self.token = token
        self.changes = changes
    }

    /// Some clients send the number as a string.
    private static func kind(_ value: JSON) -> PushProtocol? {
        switch number(value) {
        case 1: .apns
        case 3: .fcm
        case 17: .huawei
        case 10, 11, 12: .webpush
        default: nil
        }
    }

    /// Clients send the difference to UTC in seconds. A whole number of hours has a time zone of its own; with others,
    /// and with what is no number, the zone of the device stays unknown.
    private static func timeZone(in fields: JSONFields) -> String? {
        let offset = fields.value("timezone", expected: "a number of seconds") { number($0) ?? 1 }
        guard let offset, offset.isMultiple(of: hour), (-12...14).contains(offset / hour) else { return nil }
        let hours = offset / hour
        // POSIX counts them in the other direction.
        return hours == 0 ? "Etc/UTC" : "Etc/GMT\(hours > 0 ? "-" : "+")\(abs(hours))"
    }

    private static func number(_ value: JSON) -> Int? {
        switch value {
        case .integer(let number): Int(exactly: number)
        case .string(let text): Int(text)
        default: nil
        }
    }
}
