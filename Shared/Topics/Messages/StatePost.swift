import JSONKit
package import PushModel
package import ServiceKit

/// States of messages, or transitions of devices, as posted to the webhook of their app.
package struct StatePost: TopicMessage, Hashable {
    package static let version = 1

    /// Its raw value is the message's kind, which tells it from a report on `webhooks`.
    package let event: WebhookEvent
    /// The same in every attempt.
    package let id: String
    package let app: AppID
    /// Of states.
    package let count: Int
    /// When the oldest of them became known.
    package let since: Timestamp
    /// A JSON array.
    package let body: [UInt8]

    package init(
        _ event: WebhookEvent, id: String, app: AppID, count: Int, since: Timestamp, body: [UInt8]
    ) {
        self.event = event
        self.id = id
        self.app = app
        self.count = count
        self.since = since
        self.body = body
    }

    package func encoded() -> [UInt8] {
        let text = JSONText.object { json in
            json.member("version", StatePost.version)
            json.member("kind", event.rawValue)
            json.member("id", id)
            json.member("app", app.text)
            json.member("since", "\(since)")
            json.member("body", json: body)
        }
        return Array(text.utf8)
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "post")
        guard json.hasVersion(StatePost.version), let event = json.value("kind", convert: WebhookEvent.init(rawValue:)),
            let id = json["id"]?.text, !id.isEmpty, id.utf8.count <= 128, id.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let app = json.value("app", convert: { try? AppID($0) }),
            let since = json.value("since", convert: Timestamp.init(rfc3339:)), let body = json["body"],
            let count = body.elements?.count
        else { throw MalformedMessageError("invalid post of states, or of an unknown version") }
        self.init(event, id: id, app: app, count: count, since: since, body: body.compactBytes)
    }
}
