import ServiceKit

/// Payloads of pushes to Live Activities.
enum LiveActivityPayload {
    static func update(_ score: Int, at timestamp: Int, event: String = "update", alert: String? = nil) -> String {
        payload { aps in
            aps.member("event", event)
            aps.member("timestamp", timestamp)
            aps.member("content-state", json: state(score))
            if let alert { aps.member("alert", json: "{\"title\":\"\(alert)\"}") }
        }
    }

    /// `attributes` is JSON; `more` adds members to `aps`.
    static func start(
        at timestamp: Int, attributes: String, type: String = "Match", more: (inout JSONText) -> Void = { _ in }
    ) -> String {
        payload { aps in
            aps.member("event", "start")
            aps.member("timestamp", timestamp)
            aps.member("content-state", json: state(0))
            aps.member("attributes-type", type)
            aps.member("attributes", json: attributes)
            aps.member("alert", json: "{\"title\":\"Kick-off\"}")
            more(&aps)
        }
    }

    static func start(at timestamp: Int, activity: String) -> String {
        start(at: timestamp, attributes: "{\"carillon\":{\"activityId\":\"\(activity)\"}}") { aps in
            aps.member("input-push-token", 1)
        }
    }

    static func state(_ score: Int) -> String { "{\"score\":\(score)}" }

    private static func payload(_ aps: (inout JSONText) -> Void) -> String {
        JSONText.object { $0.member("aps", object: aps) }
    }
}
