import JSONKit
import PushModel
import Store
import Topics

/// Registration data of a device. Fields not listed here are ignored, as in pushd; an absent field keeps its value.
struct RegistrationForm {
    private static let knownProtocols = "expected apns, fcm, gcm, c2dm, huawei, webpush, wns, mpns or http"

    static let aliases: [(name: String, kind: Alias.Kind)] =
        [("external_user_id", .externalUser)] + DeviceFields.identifiers

    private let fields: RequestFields
    private let addresses: DeviceAddressRules

    init(_ fields: RequestFields, addresses: DeviceAddressRules = DeviceAddressRules()) {
        self.fields = fields
        self.addresses = addresses
    }

    /// The changes by a registration of the token, which for a browser contains its keys.
    func changes(registering token: PushToken) throws(PushdError) -> DeviceChanges {
        var changes = try changes()
        guard token.kind == .webpush else { return changes }
        let publicKey = try key("p256dh", rule: SubscriptionKeyText.publicKeyRule, SubscriptionKeyText.publicKey)
        let secret = try key("auth", rule: SubscriptionKeyText.secretRule, SubscriptionKeyText.secret)
        changes.webPushKeys = WebPushKeys(publicKey: publicKey, secret: secret)
        return changes
    }

    func changes() throws(PushdError) -> DeviceChanges {
        var changes = DeviceChanges()
        changes.environment = try value("environment", read: environment)
        changes.contentAvailable = try value("contentAvailable", read: fields.flag)
        changes.language = try value("lang", read: text)
        changes.version = try value("version", read: text)
        changes.appVersion = try value("app_version", read: text)
        changes.category = try value("category", read: text)
        changes.timeZone = try value("time_zone", read: timeZone)
        changes.badge = try value("badge") { name throws(InvalidValueError) in
            try fields.integer(name, in: 0...DeviceFields.badgeMaximum).map(UInt32.init)
        }
        for (name, kind) in RegistrationForm.aliases {
            changes.aliases[kind] = try value(name) { name throws(InvalidValueError) in try alias(kind, name: name) }
        }
        return changes
    }

    /// The token of a registration in which the fields contain everything.
    func token() throws(PushdError) -> PushToken {
        guard let kind = try kind() else {
            throw .invalidField("proto", InvalidValueError("missing; \(RegistrationForm.knownProtocols)"))
        }
        guard let text = try value("token", read: fields.text) else {
            throw .invalidField("token", InvalidValueError("missing; expected a token of the provider"))
        }
        return try token(kind, text: text)
    }

    /// The token of a registration by path; nil if the path does not look like a token and no protocol is given. A
    /// token in the body must match the path.
    func token(fromPath text: String) throws(PushdError) -> PushToken? {
        guard let kind = try kind() ?? RegistrationForm.likelyKind(of: text) else { return nil }
        let token = try token(kind, text: text)
        if let given = try value("token", read: fields.text), try self.token(kind, text: given) != token {
            throw .invalidField("token", InvalidValueError("expected the same token as in the path"))
        }
        return token
    }

    /// Token and protocol identify a subscriber and cannot be changed; other values create another subscriber. A
    /// browser's keys change with its registration.
    func refuseToken() throws(PushdError) {
        for name in ["token", "proto", "p256dh", "auth"] where fields.object[name] != nil {
            throw .invalidField(name, InvalidValueError("not allowed in a change; register the new token instead"))
        }
    }

    private func kind() throws(PushdError) -> PushProtocol? {
        guard let name = try value("proto", read: fields.text) else { return nil }
        guard let kind = PushProtocol(name: name), PushProtocol.ofDevices.contains(kind) else {
            throw .invalidField("proto", InvalidValueError(RegistrationForm.knownProtocols))
        }
        return kind
    }

    /// APNs tokens are hexadecimal; Google tokens are long, and the newer ones contain a colon.
    private static func likelyKind(of text: String) -> PushProtocol? {
        let characters = text.utf8
        if characters.count >= 64, characters.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) }) {
            return .apns
        }
        guard characters.contains(UInt8(ascii: ":")) || characters.count >= 100 else { return nil }
        return (try? PushToken(.fcm, text: text)) == nil ? nil : .fcm
    }

    private func token(_ kind: PushProtocol, text: String) throws(PushdError) -> PushToken {
        do throws(InvalidValueError) {
            return try addresses.token(kind, text: text)
        } catch {
            throw .invalidField("token", error)
        }
    }

    private func key(
        _ name: String, rule: String, _ read: (String) throws(InvalidValueError) -> [UInt8]
    ) throws(PushdError) -> [UInt8] {
        let bytes = try value(name) { name throws(InvalidValueError) in try fields.text(name).map(read) }
        guard let bytes else { throw .invalidField(name, InvalidValueError("missing; expected \(rule)")) }
        return bytes
    }

    private func value<Value>(
        _ name: String, read: (String) throws(InvalidValueError) -> Value?
    ) throws(PushdError) -> Value? {
        do throws(InvalidValueError) {
            return try read(name)
        } catch {
            throw .invalidField(name, error)
        }
    }

    private func text(_ name: String) throws(InvalidValueError) -> String? {
        guard let text = try fields.text(name) else { return nil }
        return try DeviceFields.text(text)
    }

    private func timeZone(_ name: String) throws(InvalidValueError) -> String? {
        guard let text = try fields.text(name) else { return nil }
        return try DeviceFields.timeZone(text)
    }

    private func environment(_ name: String) throws(InvalidValueError) -> Device.Environment? {
        guard let text = try fields.text(name) else { return nil }
        return try DeviceFields.environment(text)
    }

    private func alias(_ kind: Alias.Kind, name: String) throws(InvalidValueError) -> String? {
        guard let text = try fields.text(name) else { return nil }
        return try DeviceFields.alias(text, kind: kind)
    }
}
