import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// A message for Huawei's API for HarmonyOS 3 and 4 and Android, as a template to which the sender adds the tokens of
/// up to a thousand devices.
struct HuaweiMessage: Sendable {
    /// Size of the body without tokens.
    static let bytesMaximum = 4_096
    /// Huawei stores a message for at most fifteen days and does not accept zero.
    static let timeToLiveRange = 1...1_296_000
    static let badgeMaximum: UInt32 = 99
    static let vibrationCountMaximum = 10
    /// The longest list of users and devices whose pushes have a proof: a request for many devices has one payload, so
    /// each of these pushes takes a request of its own.
    static let provenEntriesMaximum = 100

    var notification: AndroidNotification?
    var data = FlatData()
    var priority = RenderedVariant.Priority.high
    /// Seconds.
    var timeToLive = 86_400
    /// True if each device gets its own proof in the data, provided that there is room for it.
    var provesReceipt = false

    func template(path: String) throws(RenderingError) -> PayloadTemplate {
        let measured = MeasuredTemplate.fitting(
            HuaweiMessage.bytesMaximum, provesReceipt: provesReceipt, write: template(hasProof:))
        guard measured.bytes <= HuaweiMessage.bytesMaximum else {
            throw RenderingError(
                path, message: "too long for Huawei: \(measured.bytes) bytes; at most \(HuaweiMessage.bytesMaximum)")
        }
        return measured.template
    }

    private func template(hasProof: Bool) -> MeasuredTemplate {
        let parts = JSONText.parts { json in
            json.member("message") { json in
                writeData(&json, hasProof: hasProof)
                json.member("android", object: writeAndroid)
                json.gap("token", between: #"[""#, and: #""]"#)
            }
        }
        let template = PayloadTemplate(parts: parts, slots: (hasProof ? [.proof] : []) + [.token])
        return MeasuredTemplate(
            template: template, bytes: parts.reduce(hasProof ? ReceiptProof.textBytes : 0) { $0 + $1.count })
    }

    /// A string with JSON, not an object.
    private func writeData(_ json: inout JSONText, hasProof: Bool) {
        guard hasProof else {
            if !data.isEmpty { json.member("data", JSON.object(data.json).compactText) }
            return
        }
        json.gap(
            "data", inText: JSON.object(data.json).compactText.dropLast() + #","\#(ReceiptField.proof)":""#, and: #""}"#
        )
    }

    private func writeAndroid(_ json: inout JSONText) {
        let range = HuaweiMessage.timeToLiveRange
        json.member("urgency", priority == .high ? "HIGH" : "NORMAL")
        json.member("ttl", "\(min(max(timeToLive, range.lowerBound), range.upperBound))s")
        guard let notification else { return }
        json.member("notification") { HuaweiMessage.write(notification, json: &$0) }
    }

    private static func write(_ notification: AndroidNotification, json: inout JSONText) {
        notification.writeTexts(to: &json)
        notification.writeAppearance(to: &json)
        notification.writeVibration(to: &json, as: "vibrate_config", countMaximum: vibrationCountMaximum)
        // Huawei has only these two.
        if let importance = notification.importance { json.member("importance", importance < 0 ? "LOW" : "NORMAL") }
        switch notification.sound {
        case "default": json.member("default_sound", true)
        case let sound?: json.member("sound", sound)
        case nil: break
        }
        // Required by Huawei: an action of the app, or opening it.
        json.member("click_action") { json in
            json.member("type", notification.clickAction == nil ? 3 : 1)
            if let action = notification.clickAction { json.member("action", action) }
        }
        writeBadge(notification.badge, json: &json)
    }

    /// The device counts the badge itself: a number per device would need a request per device, and the maximum is 99.
    private static func writeBadge(_ badge: PushMessage.Badge?, json: inout JSONText) {
        switch badge {
        case .increment: json.member("badge") { $0.member("add_num", 1) }
        case .set(let count): json.member("badge") { $0.member("set_num", Int(min(count, badgeMaximum))) }
        case nil: break
        }
    }
}
