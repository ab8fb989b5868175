import JSONKit
import ProviderKit
import PushModel
import ServiceKit
import Topics

/// The state of a Live Activity as a phone reads it from a push.
struct PushedState: Sendable {
    let activity: String
    let number: Int
    let isEnd: Bool
    /// Seconds since the begin of the history.
    let timestamp: Int64
    /// From which the phone gets what follows a start.
    let channel: String?

    /// Nil for any other push.
    init?(_ push: Push) {
        guard let activity = push.activity, let aps = (try? JSON(push.payload))?["aps"],
            let event = aps["event"]?.text, case .integer(let timestamp) = aps["timestamp"],
            case .integer(let number) = aps["content-state"]?["step"]
        else { return nil }
        self.activity = activity.activity.text
        channel = aps["input-push-channel"]?.text
        self.number = Int(number)
        isEnd = event == "end"
        self.timestamp = timestamp - ProcessClock.start.milliseconds / 1_000
    }

    /// As the app on another platform reads it from the data of a push. Nil for any other push.
    init?(mirroredIn payload: [UInt8]) {
        guard let data = (try? JSON(payload)).flatMap(PushedState.data), let activity = data["activity"]?.text,
            let event = data["event"]?.text, let timestamp = data["timestamp"]?.text.flatMap({ Int64($0) }),
            let state = try? data["content_state"]?.text.map({ try JSON(Array($0.utf8)) }),
            case .integer(let number) = state["step"]
        else { return nil }
        self.activity = activity
        channel = nil
        self.number = Int(number)
        isEnd = event == "end"
        self.timestamp = timestamp - ProcessClock.start.milliseconds / 1_000
    }

    /// Wherever the provider has them; with Huawei they are one text.
    private static func data(in json: JSON) -> JSONObject? {
        switch json {
        case .object(let object) where object["content_state"] != nil: object
        case .object(let object): object.members.lazy.compactMap { data(in: $0.value) }.first
        case .array(let elements): elements.lazy.compactMap { data(in: $0) }.first
        case .string(let text) where text.hasPrefix("{"): (try? JSON(Array(text.utf8))).flatMap(data)
        default: nil
        }
    }
}
