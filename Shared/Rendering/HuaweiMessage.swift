import JSONKit
import ServiceKit
import TaskModel
import Topics

/// A message for Huawei's interface of HarmonyOS 3 and 4 and Android, as a template into which the sender writes the
/// tokens of up to a thousand devices.
struct HuaweiMessage: Sendable {
    /// Of the whole body without tokens.
    static let bytesMaximum = 4_096
    /// Huawei keeps a message for fifteen days at most, and knows no zero.
    static let timeToLiveRange = 1...1_296_000
    static let badgeMaximum: UInt32 = 99

    var notification: AndroidNotification?
    var data = FlatData()
    var priority = RenderedVariant.Priority.high
    /// Seconds.
    var timeToLive = 86_400

    func template(path: String) throws(RenderingFlaw) -> PayloadTemplate {
        let dataText = data.isEmpty ? "" : #""data":\#(JSONText.quoted(JSON.object(data.json).compactText)),"#
        let start = #"{"message":{\#(dataText)"android":\#(androidText),"token":[""#
        let end = #""]}}"#
        let bytes = start.utf8.count + end.utf8.count
        guard bytes <= HuaweiMessage.bytesMaximum else {
            throw RenderingFlaw(
                path, "has \(bytes) bytes for Huawei, which takes \(HuaweiMessage.bytesMaximum); shorten it")
        }
        return PayloadTemplate(parts: [Array(start.utf8), Array(end.utf8)], slots: [.token])
    }

    private var androidText: String {
        let range = HuaweiMessage.timeToLiveRange
        return JSONText.object { object in
            object.member("urgency", priority == .high ? "HIGH" : "NORMAL")
            object.member("ttl", "\(min(max(timeToLive, range.lowerBound), range.upperBound))s")
            if let notification { object.member("notification", json: HuaweiMessage.text(notification)) }
        }
    }

    private static func text(_ notification: AndroidNotification) -> String {
        JSONText.object { object in
            if let title = notification.title { object.member("title", title) }
            if let body = notification.body { object.member("body", body) }
            if let image = notification.image { object.member("image", image) }
            if let tag = notification.tag { object.member("tag", tag) }
            if let channel = notification.channel { object.member("channel_id", channel) }
            switch notification.sound {
            case "default": object.member("default_sound", true)
            case let sound?: object.member("sound", sound)
            case nil: break
            }
            if let icon = notification.icon { object.member("icon", icon) }
            if let color = notification.color { object.member("color", color) }
            object.member("click_action", json: clickAction(notification.clickAction))
            if let badge = badge(of: notification) { object.member("badge", json: badge) }
        }
    }

    /// Huawei wants one: an action of the app's, or that it is opened.
    private static func clickAction(_ action: String?) -> String {
        JSONText.object { object in
            object.member("type", action == nil ? 3 : 1)
            if let action { object.member("action", action) }
        }
    }

    /// The device counts by itself: a number of ours would make a request of every device, and ends at 99.
    private static func badge(of notification: AndroidNotification) -> String? {
        switch notification.badge {
        case .increment: JSONText.object { $0.member("add_num", 1) }
        case .set(let count): JSONText.object { $0.member("set_num", Int(min(count, badgeMaximum))) }
        case nil: nil
        }
    }
}
