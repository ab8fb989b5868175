import HTTPServer
import PushModel
import ServiceKit
import Store

/// Responses in pushd's format: a subscriber is the set of its stored fields.
enum PushdAnswer {
    static func registration(_ registration: Registration, base: String, warning: String?) -> HTTPResponse {
        let registered = registration.registered
        let body = JSONText.object { json in
            write(registered, to: &json)
            json.member("id", registered.id.description)
        }
        var response = HTTPResponse.json(body, status: registration.isNew ? .created : .ok)
        response.headers.append(HTTPField("Location", "\(base)/subscriber/\(registered.id)"))
        if let warning { response.headers.append(HTTPField("Carillon-Warning", warning)) }
        return response
    }

    /// Without the id, which the client already has.
    static func subscriber(_ registered: RegisteredDevice) -> HTTPResponse {
        .json(JSONText.object { write(registered, to: &$0) })
    }

    static func subscriptions(_ subscriptions: [TopicName: SubscriptionOptions]) -> HTTPResponse {
        .json(
            JSONText.object { json in
                for (topic, options) in subscriptions.sorted(by: { $0.key < $1.key }) {
                    json.member(topic.text, json: text(of: options))
                }
            })
    }

    static func subscription(_ options: SubscriptionOptions) -> HTTPResponse {
        .json(text(of: options))
    }

    /// The integers that JavaScript represents exactly.
    private static let exactNumbers = -(1 << 53 - 1)...(1 << 53 - 1)

    private static func text(of options: SubscriptionOptions) -> String {
        JSONText.object { $0.member("ignore_message", options.contains(.ignoreMessage)) }
    }

    private static func write(_ registered: RegisteredDevice, to json: inout JSONText) {
        let device = registered.device
        json.member("proto", device.token.kind.name)
        json.member("token", device.token.text)
        writeUntyped("lang", text: device.language, to: &json)
        if let badge = registered.badge { json.member("badge", Int(badge)) }
        writeUntyped("version", text: device.version, to: &json)
        writeUntyped("category", text: device.category, to: &json)
        // A string, as pushd stored it.
        if let value = device.contentAvailable { json.member("contentAvailable", value ? "true" : "false") }
        // Fields that pushd did not have are returned only if they are set.
        if device.environment == .sandbox { json.member("environment", device.environment.rawValue) }
        if let version = device.appVersion { json.member("app_version", version) }
        if let zone = device.timeZone { json.member("time_zone", zone) }
        // The other key is a secret.
        if let keys = device.webPushKeys { json.member("p256dh", Base64URL.encode(keys.publicKey)) }
        for (name, kind) in RegistrationForm.aliases {
            if let value = device.aliases[kind] { json.member(name, value) }
        }
        json.member("updated", Int(device.updated))
        json.member("created", Int(device.created))
    }

    /// pushd had no types for its fields and returned every value that looks like a number as a number.
    private static func writeUntyped(_ name: String, text: String?, to json: inout JSONText) {
        guard let text else { return }
        if let number = Int(text), String(number) == text, exactNumbers.contains(number) {
            json.member(name, number)
        } else {
            json.member(name, text)
        }
    }
}
