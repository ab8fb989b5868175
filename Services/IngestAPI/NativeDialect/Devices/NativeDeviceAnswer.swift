import HTTPServer
import PushModel
import ServiceKit
import Store

/// Devices in the native API's form. Fields that are not set are absent.
enum NativeDeviceAnswer {
    static func device(
        _ registered: RegisteredDevice, topics: [TopicName: SubscriptionOptions]
    ) -> HTTPResponse {
        .json(text(of: registered, topics: topics))
    }

    /// Without the subscriptions: a device may have a thousand of them.
    static func list(_ devices: [RegisteredDevice]) -> HTTPResponse {
        let texts = devices.map { text(of: $0, topics: nil) }
        return .json(JSONText.object { $0.member("devices", json: "[\(texts.joined(separator: ","))]") })
    }

    private static func text(
        of registered: RegisteredDevice, topics: [TopicName: SubscriptionOptions]?
    ) -> String {
        JSONText.object { json in
            write(registered, to: &json)
            if let topics { json.member("topics", json: text(of: topics)) }
            json.member("registered", moment(registered.device.created))
            json.member("updated", moment(registered.device.updated))
        }
    }

    private static func write(_ registered: RegisteredDevice, to json: inout JSONText) {
        let device = registered.device
        json.member("id", "\(registered.id)")
        json.member("protocol", device.token.kind.name)
        json.member("platform", Platform(device.token.kind).rawValue)
        json.member("token", device.token.text)
        if let keys = device.webPushKeys { json.member("subscription") { write(keys, of: device.token, to: &$0) } }
        json.member("environment", device.environment.rawValue)
        if !device.startTokens.isEmpty {
            json.member("push_to_start") { json in
                for (type, token) in device.startTokens.tokens.sorted(by: { $0.key < $1.key }) {
                    json.member(type.text, token.text)
                }
            }
        }
        if let user = device.aliases[.externalUser] { json.member("user", user) }
        json.member("identifiers") { json in
            for (name, kind) in DeviceFields.identifiers {
                if let value = device.aliases[kind] { json.member(name, value) }
            }
        }
        let texts = [
            ("language", device.language), ("time_zone", device.timeZone), ("app_version", device.appVersion),
            ("system_version", device.version), ("category", device.category),
        ]
        for case (let name, let value?) in texts { json.member(name, value) }
        if let badge = registered.badge { json.member("badge", Int(badge)) }
        if let value = device.contentAvailable { json.member("content_available", value) }
    }

    /// In the form of a browser's subscription, without its secret.
    private static func write(_ keys: WebPushKeys, of token: PushToken, to json: inout JSONText) {
        json.member("endpoint", token.text)
        json.member("keys") { $0.member("p256dh", Base64URL.encode(keys.publicKey)) }
    }

    private static func text(of topics: [TopicName: SubscriptionOptions]) -> String {
        let texts = topics.sorted { $0.key < $1.key }.map { topic, options in
            JSONText.object { json in
                json.member("name", topic.text)
                json.member("silent", options.contains(.ignoreMessage))
            }
        }
        return "[\(texts.joined(separator: ","))]"
    }

    private static func moment(_ seconds: UInt32) -> String {
        "\(Timestamp(milliseconds: Int64(seconds) * 1_000))"
    }
}
