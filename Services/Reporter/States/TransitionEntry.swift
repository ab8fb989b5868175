import PushModel
import ServiceKit
import Store
import Topics

/// A transition of a device as the webhook of its app gets it.
struct TransitionEntry: Sendable {
    private let transition: DeviceTransition
    private let previous: DeviceClass

    init(_ transition: DeviceTransition, from previous: DeviceClass) {
        self.transition = transition
        self.previous = previous
    }

    var state: OutboxState {
        let text = JSONText.object { json in
            json.member("device_token", transition.token)
            if let user = transition.user { json.member("user_id", user) }
            json.member("previous_class", previous.rawValue)
            json.member("class", transition.reached.rawValue)
            json.member("timestamp", "\(transition.time)")
        }
        return OutboxState(transition.reached.rawValue, bytes: Array(text.utf8))
    }
}
