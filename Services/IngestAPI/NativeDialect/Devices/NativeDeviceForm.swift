import JSONKit
import PushModel
import ServiceKit
import Store
import Topics

/// A device as its app describes it: its token, the fields to change, and its topics.
struct DeviceDescription: Sendable, Equatable {
    let token: PushToken
    let changes: DeviceChanges
    /// All subscriptions of the device; nil leaves them unchanged.
    let topics: [TopicName: SubscriptionOptions]?
}

/// A device in the native API. Errors are added to the problems of the fields.
struct NativeDeviceForm {
    private static let protocols = PushProtocol.ofDevices.map(\.name).joined(separator: ", ")

    private let fields: JSONFields
    private let naming: DeviceNaming
    private let addresses: DeviceAddressRules

    init(_ fields: JSONFields, naming: DeviceNaming, addresses: DeviceAddressRules = DeviceAddressRules()) {
        self.fields = fields
        self.naming = naming
        self.addresses = addresses
        // All names are allowed first, so that a misspelt name is detected before another is reported as missing.
        fields.allow([
            "protocol", "token", "subscription", "environment", "user", "user_token", "identifiers", "language",
            "time_zone", "app_version", "system_version", "category", "badge", "content_available", "topics",
            "push_to_start",
        ])
    }

    func description() throws(TaskError) -> DeviceDescription {
        let subscription = subscription()
        let token = fields.has("subscription") ? subscription?.token : token()
        var changes = changes()
        changes.webPushKeys = subscription?.keys
        changes.startTokens = startTokens()
        if let token, token.kind != .apns, !changes.startTokens.isEmpty {
            fields.reject("push_to_start", message: "only for devices of the protocol apns; remove it")
        }
        let topics = fields.has("topics") ? topics() : nil
        fields.rejectUnknown()
        guard let token else { throw .invalid(fields.problems.all) }
        return DeviceDescription(token: token, changes: changes, topics: topics)
    }

    /// The members `protocol` and `token`.
    private func token() -> PushToken? {
        let kind = fields.text(
            "protocol", expected: "one of \(NativeDeviceForm.protocols)", isRequired: true,
            convert: NativeDeviceForm.kind)
        guard kind != .webpush else {
            fields.reject("subscription", message: "missing; expected \(BrowserSubscription.rule)")
            return nil
        }
        let text = fields.text("token", expected: "a token of the provider", isRequired: true) { $0 }
        guard let kind, let text else { return nil }
        return fields.checked("token", text: text) { text throws(InvalidValueError) in
            try addresses.token(kind, text: text)
        }
    }

    /// The member `subscription`, which says everything that `protocol` and `token` could; beside it they must agree.
    private func subscription() -> BrowserSubscription? {
        guard let given = fields.object("subscription") else { return nil }
        _ = fields.text("protocol", expected: "webpush, or no protocol beside subscription") { name in
            NativeDeviceForm.kind(name) == .webpush ? name : nil
        }
        let subscription = BrowserSubscription(given, addresses: addresses)
        let token = fields.text("token", expected: "the subscription's endpoint, or no token") { $0 }
        if let token, let subscription, !token.utf8.elementsEqual(subscription.token.text.utf8) {
            fields.reject("token", message: "expected the subscription's endpoint, or no token")
        }
        return subscription
    }

    /// The native API has one name for each protocol.
    static func kind(_ name: String) -> PushProtocol? {
        PushProtocol.ofDevices.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private func changes() -> DeviceChanges {
        var changes = DeviceChanges()
        changes.environment = fields.checked("environment", DeviceFields.environment)
        changes.contentAvailable = fields.bool("content_available")
        changes.language = fields.checked("language", DeviceFields.text)
        changes.timeZone = fields.checked("time_zone", DeviceFields.timeZone)
        changes.appVersion = fields.checked("app_version", DeviceFields.text)
        changes.version = fields.checked("system_version", DeviceFields.text)
        changes.category = fields.checked("category", DeviceFields.text)
        changes.badge = fields.integer("badge", in: 0...DeviceFields.badgeMaximum).map(UInt32.init)
        changes.aliases = names()
        return changes
    }

    /// The user and the identifiers.
    private func names() -> [Alias.Kind: String] {
        switch naming {
        case .trusted:
            if fields.has("user_token") {
                fields.reject("user_token", message: "only for public keys; send user")
            }
            return givenNames()
        case .signed(let key, let app, let now):
            for (name, cure) in [("user", "send user_token"), ("identifiers", "remove it")] where fields.has(name) {
                fields.reject(name, message: "not allowed with a public key; \(cure)")
            }
            guard fields.has("user_token") else { return [:] }
            guard let key else {
                fields.reject("user_token", message: "the app file has no user_tokens.key_file")
                return [:]
            }
            let user = fields.checked("user_token") { text throws(InvalidValueError) in
                try UserToken.user(text, key: key, app: app, now: now)
            }
            return user.map { [.externalUser: $0.value] } ?? [:]
        }
    }

    private func givenNames() -> [Alias.Kind: String] {
        var names: [Alias.Kind: String] = [:]
        names[.externalUser] = fields.alias("user", kind: .externalUser)
        guard let given = fields.object("identifiers") else { return names }
        for (name, kind) in DeviceFields.identifiers { names[kind] = given.alias(name, kind: kind) }
        given.rejectUnknown()
        return names
    }

    /// By type of activity, a token or null, which removes it.
    private func startTokens() -> [ActivityType: PushToken?] {
        let rule = "an object of at most \(StartTokens.countMaximum) types, each with a token or null"
        let given = fields.value("push_to_start", expected: rule) { value in
            value.object.flatMap { $0.members.count <= StartTokens.countMaximum ? $0 : nil }
        }
        var tokens: [ActivityType: PushToken?] = [:]
        for member in given?.members ?? [] {
            let path = "push_to_start.\(OutsideText.excerpt(member.name))"
            guard let type = try? ActivityType(member.name) else {
                fields.reject(path, message: "expected \(ActivityType.rule)")
                continue
            }
            if member.value == .null {
                tokens[type] = .some(nil)
            } else if let token = member.value.text.flatMap({ try? PushToken(.liveActivity, text: $0) }) {
                tokens[type] = token
            } else {
                fields.reject(path, message: "expected \(PushToken.rule(of: .liveActivity)), or null")
            }
        }
        return tokens
    }

    private func topics() -> [TopicName: SubscriptionOptions] {
        var topics: [TopicName: SubscriptionOptions] = [:]
        for element in fields.elements("topics", countMaximum: RegistryBounds.subscriptionsMaximum) {
            guard let (topic, options) = NativeDeviceForm.subscription(element) else { continue }
            if topics.updateValue(options, forKey: topic) != nil {
                fields.problems.add(element.path, message: "duplicate topic; list each topic once")
            }
        }
        return topics
    }

    /// A name, or an object with a name and options.
    private static func subscription(_ element: JSONElement) -> (TopicName, SubscriptionOptions)? {
        if element.value.text != nil {
            return element.text(expected: TopicName.rule) { try? TopicName($0) }.map { ($0, []) }
        }
        guard let fields = element.fields else { return nil }
        let topic = fields.text("name", expected: TopicName.rule, isRequired: true) { try? TopicName($0) }
        let isSilent = fields.bool("silent") == true
        fields.rejectUnknown()
        return topic.map { ($0, isSilent ? .ignoreMessage : []) }
    }
}

extension JSONFields {
    /// A text that `check` accepts or rejects with its reason.
    func checked<Value>(
        _ name: String, isRequired: Bool = false, _ check: (String) throws(InvalidValueError) -> Value
    ) -> Value? {
        text(name, expected: "a string", isRequired: isRequired) { $0 }.flatMap { checked(name, text: $0, check) }
    }

    fileprivate func checked<Value>(
        _ name: String, text: String, _ check: (String) throws(InvalidValueError) -> Value
    ) -> Value? {
        do throws(InvalidValueError) {
            return try check(text)
        } catch {
            reject(name, message: error.description)
            return nil
        }
    }

    fileprivate func alias(_ name: String, kind: Alias.Kind) -> String? {
        checked(name) { text throws(InvalidValueError) in try DeviceFields.alias(text, kind: kind) }
    }
}
