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

    /// Nil for any other push.
    init?(_ push: Push) {
        guard let activity = push.activity, let aps = (try? JSON(push.payload))?["aps"],
            let event = aps["event"]?.text, case .integer(let timestamp) = aps["timestamp"],
            case .integer(let number) = aps["content-state"]?["step"]
        else { return nil }
        self.activity = activity.activity.text
        self.number = Int(number)
        isEnd = event == "end"
        self.timestamp = timestamp - ProcessClock.start.milliseconds / 1_000
    }
}
