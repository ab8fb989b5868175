import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// The text of a Web Push before its encryption: JSON in the form of Declarative Web Push, which browsers that know it
/// show themselves, and which others pass to the page's service worker.
struct WebPushMessage: Sendable {
    /// What one record of 4,096 bytes holds when it is encrypted by RFC 8291.
    static let bytesMaximum = 3_993
    /// The value of `web_push`, by which browsers recognize the form.
    private static let form = 8_030
    private static let badgeDigits = 10

    /// Members beside the notification, written by the publisher.
    var members = JSONObject()
    /// Without its data; nil if there is nothing to show.
    var notification: JSONObject?
    /// A part of the notification, or beside other members if there is none.
    var data = MessageData()
    var badge: PushMessage.Badge?

    /// Throws if the text with the longest badge exceeds the limit of push services.
    func template(path: String) throws(RenderingError) -> PayloadTemplate {
        let measured = MeasuredTemplate.fitting(
            WebPushMessage.bytesMaximum, provesReceipt: data.provesReceipt, write: template(hasProof:))
        guard measured.bytes <= WebPushMessage.bytesMaximum else {
            throw RenderingError(
                path, message: "too long for Web Push: \(measured.bytes) bytes; at most \(WebPushMessage.bytesMaximum)")
        }
        return measured.template
    }

    private func template(hasProof: Bool) -> MeasuredTemplate {
        let parts = JSONText.parts { json in
            if let notification {
                if members["web_push"] == nil { json.member("web_push", WebPushMessage.form) }
                json.member("notification") { write(notification, to: &$0, hasProof: hasProof) }
                // A worker that is there gets the push too: it reports what became of it.
                if members["mutable"] == nil { json.member("mutable", true) }
            } else if !data.isEmpty {
                json.member("data") { data.write(to: &$0, hasProof: hasProof) }
            }
            for (name, value) in members.members { json.member(name, json: value.compactBytes) }
            if case .set(let count)? = badge { json.member("app_badge", Int(count)) }
            if badge == .increment { json.gap("app_badge") }
        }
        let countsBadge = badge == .increment
        let filled = (hasProof ? ReceiptProof.textBytes : 0) + (countsBadge ? WebPushMessage.badgeDigits : 0)
        return MeasuredTemplate(
            template: PayloadTemplate(
                parts: parts, slots: (hasProof ? [.proof] : []) + (countsBadge ? [.badge] : [])),
            bytes: parts.reduce(filled) { $0 + $1.count })
    }

    private func write(_ notification: JSONObject, to json: inout JSONText, hasProof: Bool) {
        for (name, value) in notification.members { json.member(name, json: value.compactBytes) }
        if !data.isEmpty { json.member("data") { data.write(to: &$0, hasProof: hasProof) } }
    }
}
