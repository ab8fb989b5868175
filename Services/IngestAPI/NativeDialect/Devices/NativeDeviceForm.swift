import JSONKit
import PushModel
import Store
import Topics

/// A device as its app describes it: its token, the fields to change, and its subscriptions.
struct DeviceDescription: Sendable, Equatable {
    let token: PushToken
    let changes: DeviceChanges
    /// All subscriptions of the device; nil leaves them unchanged.
    let topics: [TopicName: SubscriptionOptions]?
}

/// A device in the native API. Errors are added to the problems of the fields.
struct NativeDeviceForm {
    private static let protocols = PushProtocol.supported.map(\.name).joined(separator: ", ")

    private let fields: JSONFields
    private let naming: DeviceNaming

    init(_ fields: JSONFields, naming: DeviceNaming) {
        self.fields = fields
        self.naming = naming
        // All names are allowed first, so that a misspelt name is detected before another is reported as missing.
        fields.allow([
            "protocol", "token", "environment", "user", "user_token", "identifiers", "language", "time_zone",
            "app_version",
            "system_version", "category", "badge", "content_available", "topics",
        ])
    }

    func description() throws(TaskError) -> DeviceDescription {
        let token = NativeDeviceForm.token(fields)
        let changes = changes()
        let topics = fields.has("topics") ? topics() : nil
        fields.rejectUnknown()
        guard let token else { throw .invalid(fields.problems.all) }
        return DeviceDescription(token: token, changes: changes, topics: topics)
    }

    /// The members `protocol` and `token`.
    private static func token(_ fields: JSONFields) -> PushToken? {
        let kind = fields.text(
            "protocol", expected: "one of \(protocols)", isRequired: true, convert: NativeDeviceForm.kind)
        let text = fields.text("token", expected: "a token of the provider", isRequired: true) { $0 }
        guard let kind, let text else { return nil }
        return fields.checked("token", text: text) { text throws(InvalidValueError) in
            try PushToken(kind, text: text)
        }
    }

    /// The native API has one name for each protocol.
    static func kind(_ name: String) -> PushProtocol? {
        PushProtocol.supported.first { $0.name.utf8.elementsEqual(name.utf8) }
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
    fileprivate func checked<Value>(
        _ name: String, _ check: (String) throws(InvalidValueError) -> Value
    ) -> Value? {
        text(name, expected: "a string") { $0 }.flatMap { checked(name, text: $0, check) }
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
