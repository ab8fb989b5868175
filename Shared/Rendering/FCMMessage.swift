import PushModel
import ServiceKit
import TaskModel
package import Topics

/// A message for Google's v1 API, as a template that the sender completes per device.
package struct FCMMessage: Sendable {
    /// Encoded size of notification and data together, without their envelope.
    package static let bytesMaximum = 4_096
    /// Google stores a message for at most four weeks.
    package static let timeToLiveMaximum = 2_419_200
    private static let badgeDigits = 10

    package var notification: AndroidNotification?
    package var data = FlatData()
    package var priority = RenderedVariant.Priority.high
    /// Seconds; nil for Google's default.
    package var timeToLive: Int?
    package var collapseKey: String?
    package var analyticsLabel: String?
    /// True if each device gets its own proof in the data, provided that there is room for it.
    package var provesReceipt = false

    package init() {}

    /// Throws if the message with the longest badge exceeds Google's limit. `path` is the field that it was made from.
    package func template(path: String) throws(RenderingError) -> PayloadTemplate {
        let measured = MeasuredTemplate.fitting(
            FCMMessage.bytesMaximum, provesReceipt: provesReceipt, write: template(hasProof:))
        guard measured.bytes <= FCMMessage.bytesMaximum else {
            throw RenderingError(
                path, message: "too long for Google: \(measured.bytes) bytes; at most \(FCMMessage.bytesMaximum)")
        }
        return measured.template
    }

    private func template(hasProof: Bool) -> MeasuredTemplate {
        var bytes = (countsBadge ? FCMMessage.badgeDigits : 0) + (hasProof ? ReceiptProof.textBytes : 0)
        let parts = JSONText.parts { json in
            json.member("message") { json in
                json.gap("token", between: "\"", and: "\"")
                bytes += FCMMessage.count(&json) { writeShared(&$0, hasProof: hasProof) }
                json.member("android") { json in
                    writeDelivery(&json)
                    guard let notification else { return }
                    json.member("notification") { json in
                        bytes += FCMMessage.count(&json) { FCMMessage.writeScreen(notification, json: &$0) }
                        if countsBadge { json.gap("notification_count") }
                    }
                }
            }
        }
        let slots: [PayloadTemplate.Slot] = [.token] + (hasProof ? [.proof] : []) + (countsBadge ? [.badge] : [])
        return MeasuredTemplate(template: PayloadTemplate(parts: parts, slots: slots), bytes: bytes)
    }

    private static func count(_ json: inout JSONText, write: (inout JSONText) -> Void) -> Int {
        let before = json.byteCount
        write(&json)
        return json.byteCount - before
    }

    private var countsBadge: Bool { notification?.badge == .increment }

    /// Fields common to all of Google's platforms.
    private func writeShared(_ json: inout JSONText, hasProof: Bool) {
        if let notification {
            json.member("notification") { notification.writeTexts(to: &$0) }
        }
        if !data.isEmpty {
            json.member("data") { json in
                for (name, value) in data.members { json.member(name, value) }
                if hasProof { json.gap(ReceiptField.proof, between: "\"", and: "\"") }
            }
        }
        if let analyticsLabel {
            json.member("fcm_options") { $0.member("analytics_label", analyticsLabel) }
        }
    }

    private func writeDelivery(_ json: inout JSONText) {
        json.member("priority", priority == .high ? "HIGH" : "NORMAL")
        if let timeToLive { json.member("ttl", "\(min(max(timeToLive, 0), FCMMessage.timeToLiveMaximum))s") }
        if let collapseKey { json.member("collapse_key", collapseKey) }
    }

    /// Fields of Android notifications only; the badge per device follows them.
    private static func writeScreen(_ notification: AndroidNotification, json: inout JSONText) {
        notification.writeAppearance(to: &json)
        notification.writeVibration(to: &json, as: "vibrate_timings")
        if let importance = notification.importance { json.member("notification_priority", priority(importance)) }
        if let sound = notification.sound { json.member("sound", sound) }
        if let clickAction = notification.clickAction { json.member("click_action", clickAction) }
        if case .set(let count)? = notification.badge { json.member("notification_count", Int(count)) }
    }

    private static func priority(_ importance: Int) -> String {
        switch importance {
        case ..<(-1): "PRIORITY_MIN"
        case -1: "PRIORITY_LOW"
        case 0: "PRIORITY_DEFAULT"
        case 1: "PRIORITY_HIGH"
        default: "PRIORITY_MAX"
        }
    }
}
