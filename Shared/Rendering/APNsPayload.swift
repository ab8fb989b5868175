import JSONKit
import ServiceKit
import TaskModel
import Topics

/// A payload for Apple: an object with `aps`, and the app's own members beside it.
struct APNsPayload: Sendable {
    static let bytesMaximum = 4_096
    private static let badgeDigits = 10
    /// What a notification needs that is shown or heard, and one that is not must not have.
    private static let alertMembers = [
        "alert", "sound", "mutable-content", "category", "thread-id", "interruption-level", "relevance-score",
        "target-content-id", "filter-criteria",
    ]

    /// Beside `aps`.
    var members = JSONObject()
    var aps = JSONObject()
    /// Whether each device gets a badge of its own.
    private(set) var countsBadge = false

    init() {}

    /// As a publisher wrote it.
    init(_ payload: JSONObject, path: String) throws(RenderingError) {
        guard let value = payload["aps"] else {
            throw RenderingError("\(path).aps", message: "is missing; it must be an object")
        }
        guard let aps = value.object else {
            throw RenderingError("\(path).aps", message: "must be an object, not \(value.kind)")
        }
        self.aps = aps
        members = payload
        members["aps"] = nil
    }

    /// A badge that the publisher wrote stays.
    mutating func setBadge(_ badge: PushMessage.Badge?) {
        guard aps["badge"] == nil else { return }
        switch badge {
        case .set(let count): aps["badge"] = .integer(Int64(count))
        case .increment: countsBadge = true
        case nil: break
        }
    }

    /// Takes away what is shown or heard and wakes the app instead.
    mutating func silence() {
        for name in APNsPayload.alertMembers { aps[name] = nil }
        aps["content-available"] = .integer(1)
    }

    /// Apple counts a badge among the things that people see, and refuses it from the background.
    var pushType: String {
        let isSeen = aps["alert"] != nil || aps["sound"] != nil || aps["badge"] != nil || countsBadge
        return !isSeen && aps["content-available"] == .integer(1) ? "background" : "alert"
    }

    /// Throws when the worst of it, with the longest badge, is larger than Apple takes.
    func template(path: String) throws(RenderingError) -> PayloadTemplate {
        let parts = JSONText.parts { json in
            for (name, value) in members.members { json.member(name, json: value.compactBytes) }
            json.member("aps") { json in
                for (name, value) in aps.members { json.member(name, json: value.compactBytes) }
                if countsBadge { json.gap("badge") }
            }
        }
        let bytes = parts.reduce(0) { $0 + $1.count } + (countsBadge ? APNsPayload.badgeDigits : 0)
        guard bytes <= APNsPayload.bytesMaximum else {
            throw RenderingError(
                path, message: "has \(bytes) bytes for Apple, which takes \(APNsPayload.bytesMaximum); shorten it")
        }
        return PayloadTemplate(parts: parts, slots: countsBadge ? [.badge] : [])
    }
}
