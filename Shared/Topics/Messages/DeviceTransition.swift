import JSONKit
package import PushModel
package import ServiceKit

/// A device that changes its class, for the webhook of its app. A device reaches each class once.
package struct DeviceTransition: TopicMessage, Hashable {
    package static let version = 1
    /// Tells it from an acceptance on `statuses`.
    static let kind = WebhookEvent.deviceTransition.rawValue

    package let app: AppID
    package let device: DeviceID
    package let token: String
    package let user: String?
    /// By its record when the message was made. An earlier transition may have been told since.
    package let previous: DeviceClass
    package let reached: DeviceClass
    package let time: Timestamp

    package init(
        of id: DeviceID, _ device: Device, in app: AppID, to reached: DeviceClass, at time: Timestamp
    ) {
        self.init(
            app: app, device: id, token: device.token.text, user: device.aliases[.externalUser],
            previous: device.deviceClass, reached: reached, time: time)
    }

    private init(
        app: AppID, device: DeviceID, token: String, user: String?, previous: DeviceClass, reached: DeviceClass,
        time: Timestamp
    ) {
        self.app = app
        self.device = device
        self.token = token
        self.user = user
        self.previous = previous
        self.reached = reached
        self.time = time
    }

    /// Keeps the transitions of a device in order.
    package var key: [UInt8] { Array("\(app):\(device)".utf8) }

    package func encoded() -> [UInt8] {
        let text = JSONText.object { json in
            json.member("version", DeviceTransition.version)
            json.member("kind", DeviceTransition.kind)
            json.member("app", app.text)
            json.member("device", "\(device)")
            json.member("token", token)
            if let user { json.member("user", user) }
            json.member("previous", previous.rawValue)
            json.member("class", reached.rawValue)
            json.member("time", "\(time)")
        }
        return Array(text.utf8)
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "transition")
        guard json.hasVersion(DeviceTransition.version), json["kind"]?.text == DeviceTransition.kind,
            let app = json.value("app", convert: { try? AppID($0) }),
            let device = json.value("device", convert: DeviceID.init(_:)), let token = json["token"]?.text,
            let previous = json.value("previous", convert: DeviceClass.init(rawValue:)), previous != .ineligible,
            let reached = json.value("class", convert: DeviceClass.init(rawValue:)), reached != .unknown,
            let time = json.value("time", convert: Timestamp.init(rfc3339:))
        else { throw MalformedMessageError("invalid transition, or of an unknown version") }
        self.init(
            app: app, device: device, token: token, user: json["user"]?.text, previous: previous, reached: reached,
            time: time)
    }
}
