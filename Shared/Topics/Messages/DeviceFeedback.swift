import JSONKit
package import PushModel
package import ServiceKit

/// A removed device, for systems that keep their own lists: JSON, versioned. A device id is never reused, so app and
/// device identify the event, and a repeat has the same id.
package struct DeviceFeedback: TopicMessage, Hashable {
    package static let version = 1

    /// The raw value is part of messages and must not change.
    package enum Cause: String, Sendable {
        /// The provider has proven that the device is unknown.
        case invalid
        /// Deliveries failed as often as the app allows.
        case failures
    }

    package let app: AppID
    package let device: DeviceID
    package let provider: PushProtocol
    package let cause: Cause
    /// The task whose delivery detected it, and the provider's answer.
    package let task: TaskID
    package let status: UInt16
    package let reason: String
    package let time: Timestamp

    package init(_ result: DeviceResult, cause: Cause, of task: TaskID, app: AppID, at time: Timestamp) {
        self.app = app
        device = result.device
        provider = result.provider
        self.cause = cause
        self.task = task
        status = result.status
        reason = result.reason
        self.time = time
    }

    package var id: String { "\(app)/\(device)" }
    package var event: CloudEvent? {
        CloudEvent(
            id: id, of: "feedback", version: DeviceFeedback.version, app: app, subject: "\(device)", time: time)
    }
    package var key: [UInt8] { Array("\(app):\(device)".utf8) }

    package func encoded() -> [UInt8] {
        let text = JSONText.object { json in
            json.member("version", DeviceFeedback.version)
            json.member("id", id)
            json.member("app", app.text)
            json.member("device", "\(device)")
            json.member("provider", provider.name)
            json.member("cause", cause.rawValue)
            json.member("task", "\(task)")
            json.member("status", Int(status))
            json.member("reason", reason)
            json.member("time", "\(time)")
        }
        return Array(text.utf8)
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "feedback")
        guard json.hasVersion(DeviceFeedback.version),
            let app = json.value("app", convert: { try? AppID($0) }),
            let device = json.value("device", convert: DeviceID.init(_:)),
            let provider = json.value("provider", convert: PushProtocol.init(name:)),
            let cause = json.value("cause", convert: Cause.init(rawValue:)),
            let task = json.value("task", convert: TaskID.init(_:)),
            case .integer(let number) = json["status"], let status = UInt16(exactly: number),
            let reason = json["reason"]?.text, let time = json.value("time", convert: Timestamp.init(rfc3339:))
        else { throw MalformedMessageError("invalid feedback, or of an unknown version") }
        let result = DeviceResult(
            device: device, provider: provider, state: .invalid, attempt: 0, status: status, reason: reason)
        self.init(result, cause: cause, of: task, app: app, at: time)
    }
}
