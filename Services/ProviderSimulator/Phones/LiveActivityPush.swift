import JSONKit

/// The content of a push to a Live Activity, as a phone reads it.
struct LiveActivityPush: Sendable, Equatable {
    enum Event: String, Sendable {
        case start
        case update
        case end
    }

    /// The part of a start that describes the new activity.
    struct Start: Sendable, Equatable {
        let attributesType: String
        /// By which the app reports the activity's token.
        let activity: String?
        let wantsToken: Bool
        let channel: String?
    }

    let event: Event
    let timestamp: Int64
    /// As JSON on one line.
    let contentState: String
    let hasAlert: Bool
    /// Only of a start.
    let start: Start?

    /// Nil for a payload that a phone drops.
    init?(_ payload: JSON) {
        guard let aps = payload["aps"], let event = aps["event"]?.text.flatMap(Event.init),
            case .integer(let timestamp) = aps["timestamp"], let state = aps["content-state"], state.object != nil
        else { return nil }
        hasAlert = aps["alert"]?.object != nil || aps["alert"]?.text != nil
        if event == .start {
            guard hasAlert, let start = LiveActivityPush.start(aps) else { return nil }
            self.start = start
        } else {
            start = nil
        }
        self.event = event
        self.timestamp = timestamp
        contentState = state.compactText
    }

    private static func start(_ aps: JSON) -> Start? {
        guard let type = aps["attributes-type"]?.text, let attributes = aps["attributes"], attributes.object != nil
        else { return nil }
        let activity = attributes["carillon"]?["activityId"]?.text ?? attributes["pushwoosh"]?["activityId"]?.text
        return Start(
            attributesType: type, activity: activity, wantsToken: aps["input-push-token"] == .integer(1),
            channel: aps["input-push-channel"]?.text)
    }
}
