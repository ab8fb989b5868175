import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// What the states of a message have in common: the publisher's names for it, which its webhook gets with each state.
struct TrackedMessage: Sendable, Equatable {
    let user: String
    /// Nil without the label `campaign`.
    let campaign: String?
    let key: String
    let method: DeliveryWindow.Method
    let created: Timestamp
    /// JSON, as the publisher sent it.
    let content: [UInt8]

    /// Nil for a task without a window, whose states are not told.
    init?(_ task: PushTask) {
        guard let window = task.window else { return nil }
        user = window.user.value
        campaign = task.labels[CampaignCohort.label]
        key = task.reported["idempotency_key"]?.text ?? "\(task.id)"
        method = window.method
        created = task.created
        content = (task.reported["content"] ?? task.content.message?.json ?? .null).compactBytes
    }

    var encoded: [UInt8] {
        let text = JSONText.object { json in
            json.member("user", user)
            if let campaign { json.member("campaign", campaign) }
            json.member("key", key)
            json.member("method", method.rawValue)
            json.member("created", "\(created)")
            json.member("content", json: content)
        }
        return Array(text.utf8)
    }

    /// Nil for another format.
    init?(decoding bytes: [UInt8]) {
        guard let json = try? JSON(bytes), let user = json["user"]?.text, let key = json["key"]?.text,
            let method = json["method"]?.text.flatMap({ DeliveryWindow.Method(rawValue: $0) }),
            let created = json["created"]?.text.flatMap({ Timestamp(rfc3339: $0) }), let content = json["content"]
        else { return nil }
        self.user = user
        campaign = json["campaign"]?.text
        self.key = key
        self.method = method
        self.created = created
        self.content = content.compactBytes
    }
}
