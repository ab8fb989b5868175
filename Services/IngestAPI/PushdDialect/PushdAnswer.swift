import HTTPServer
import PushModel
import ServiceKit
import Store

/// Answers in pushd's form: a subscriber is the fields that are stored of it.
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

    /// Without the id, which whoever asks has.
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

    /// Beyond these a reader in JavaScript would see another number.
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
        // A text, since that is what pushd stored.
        if let value = device.contentAvailable { json.member("contentAvailable", value ? "true" : "false") }
        // What pushd did not have is shown only where it was given.
        if device.environment == .sandbox { json.member("environment", device.environment.rawValue) }
        if let zone = device.timeZone { json.member("time_zone", zone) }
        for (name, kind) in RegistrationForm.aliases {
            if let value = device.aliases[kind] { json.member(name, value) }
        }
        json.member("updated", Int(device.updated))
        json.member("created", Int(device.created))
    }

    /// pushd did not know which of its fields were numbers, and answered everything that looks like one as one.
    private static func writeUntyped(_ name: String, text: String?, to json: inout JSONText) {
        guard let text else { return }
        if let number = Int(text), String(number) == text, exactNumbers.contains(number) {
            json.member(name, number)
        } else {
            json.member(name, text)
        }
    }
}
