import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// A payload for Apple: an object with `aps` and the app's own members.
struct APNsPayload: Sendable {
    static let bytesMaximum = 4_096
    private static let badgeDigits = 10
    /// Members of visible or audible notifications, which silent ones must not have.
    private static let alertMembers = [
        "alert", "sound", "mutable-content", "category", "thread-id", "interruption-level", "relevance-score",
        "target-content-id", "filter-criteria",
    ]

    /// The members other than `aps`.
    var members = JSONObject()
    var aps = JSONObject()
    /// True if each device gets its own badge count.
    private(set) var countsBadge = false
    /// True if each device gets its own proof, provided that there is room for it.
    var provesReceipt = false

    init() {}

    /// A payload written by the publisher.
    init(_ payload: JSONObject, path: String) throws(RenderingError) {
        guard let value = payload["aps"] else {
            throw RenderingError("\(path).aps", message: "missing; expected an object")
        }
        guard let aps = value.object else {
            throw RenderingError("\(path).aps", message: "expected an object, got \(value.kind)")
        }
        self.aps = aps
        members = payload
        members["aps"] = nil
    }

    /// A badge in the payload takes precedence.
    mutating func setBadge(_ badge: PushMessage.Badge?) {
        guard aps["badge"] == nil else { return }
        switch badge {
        case .set(let count): aps["badge"] = .integer(Int64(count))
        case .increment: countsBadge = true
        case nil: break
        }
    }

    mutating func setAppearance(_ fields: AppleFields) {
        aps["thread-id"] = fields.thread.map { .string($0) }
        if fields.isMutable { aps["mutable-content"] = .integer(1) }
        aps["interruption-level"] = fields.interruption.map { .string($0.rawValue) }
        aps["relevance-score"] = fields.relevance.map { .number($0) }
    }

    /// Removes the visible and audible members and wakes the app instead.
    mutating func silence() {
        for name in APNsPayload.alertMembers { aps[name] = nil }
        aps["content-available"] = .integer(1)
    }

    /// Apple treats a badge as visible and refuses it in background pushes.
    var pushType: String {
        let isSeen = aps["alert"] != nil || aps["sound"] != nil || aps["badge"] != nil || countsBadge
        return !isSeen && aps["content-available"] == .integer(1) ? "background" : "alert"
    }

    /// Throws if the payload with the longest badge exceeds Apple's limit.
    func template(path: String) throws(RenderingError) -> PayloadTemplate {
        let measured = MeasuredTemplate.fitting(
            APNsPayload.bytesMaximum, provesReceipt: provesReceipt, write: template(hasProof:))
        guard measured.bytes <= APNsPayload.bytesMaximum else {
            throw RenderingError(
                path, message: "too long for Apple: \(measured.bytes) bytes; at most \(APNsPayload.bytesMaximum)")
        }
        return measured.template
    }

    private func template(hasProof: Bool) -> MeasuredTemplate {
        let parts = JSONText.parts { json in
            for (name, value) in members.members { json.member(name, json: value.compactBytes) }
            if hasProof { json.gap(ReceiptField.proof, between: "\"", and: "\"") }
            json.member("aps") { json in
                for (name, value) in aps.members { json.member(name, json: value.compactBytes) }
                if countsBadge { json.gap("badge") }
            }
        }
        let slots: [PayloadTemplate.Slot] = (hasProof ? [.proof] : []) + (countsBadge ? [.badge] : [])
        let filled = (hasProof ? ReceiptProof.textBytes : 0) + (countsBadge ? APNsPayload.badgeDigits : 0)
        return MeasuredTemplate(
            template: PayloadTemplate(parts: parts, slots: slots), bytes: parts.reduce(filled) { $0 + $1.count })
    }
}
