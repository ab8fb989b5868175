import ServiceKit
import TaskModel
package import Topics

/// A message for Google's v1 interface, as a template that the sender completes for each device.
package struct FCMMessage: Sendable {
    /// Of notification and data together, as they are written; what surrounds them is not counted.
    package static let bytesMaximum = 4_096
    /// Google keeps a message for four weeks at most.
    package static let timeToLiveMaximum = 2_419_200
    private static let badgeDigits = 10

    package var notification: AndroidNotification?
    package var data = FlatData()
    package var priority = RenderedVariant.Priority.high
    /// Seconds; nil for Google's own.
    package var timeToLive: Int?
    package var collapseKey: String?
    package var analyticsLabel: String?

    package init() {}

    /// Throws when the worst of it, with the longest badge, is larger than Google takes. The path is that of whatever it
    /// was made from.
    package func template(path: String) throws(RenderingFlaw) -> PayloadTemplate {
        let (shared, screen) = (sharedText, screenText)
        let bytes = shared.utf8.count + screen.utf8.count + (countsBadge ? FCMMessage.badgeDigits : 0)
        guard bytes <= FCMMessage.bytesMaximum else {
            throw RenderingFlaw(
                path, "has \(bytes) bytes for Google, which takes \(FCMMessage.bytesMaximum); shorten it")
        }
        let start = #"{"message":{"token":""#
        let rest = #"",\#(shared)"android":{\#(androidText)"#
        guard notification != nil else { return FCMMessage.template([start, rest + "}}}"]) }
        let onScreen = rest + #","notification":{\#(screen)"#
        guard countsBadge else { return FCMMessage.template([start, onScreen + "}}}}"]) }
        let comma = screen.isEmpty ? "" : ","
        return FCMMessage.template([start, onScreen + #"\#(comma)"notification_count":"#, "}}}}"])
    }

    private static func template(_ parts: [String]) -> PayloadTemplate {
        PayloadTemplate(parts: parts.map { Array($0.utf8) }, slots: Array([.token, .badge].prefix(parts.count - 1)))
    }

    private var countsBadge: Bool { notification?.badge == .increment }

    /// Members before `android`, each with a comma behind it.
    private var sharedText: String {
        var text = ""
        if let notification {
            let content = JSONText.object { object in
                if let title = notification.title { object.member("title", title) }
                if let body = notification.body { object.member("body", body) }
                if let image = notification.image { object.member("image", image) }
            }
            text += #""notification":\#(content),"#
        }
        if !data.isEmpty {
            let content = JSONText.object { object in
                for (name, value) in data.members { object.member(name, value) }
            }
            text += #""data":\#(content),"#
        }
        if let analyticsLabel { text += #""fcm_options":{"analytics_label":\#(JSONText.quoted(analyticsLabel))},"# }
        return text
    }

    private var androidText: String {
        FCMMessage.members { object in
            object.member("priority", priority == .high ? "HIGH" : "NORMAL")
            if let timeToLive { object.member("ttl", "\(min(max(timeToLive, 0), FCMMessage.timeToLiveMaximum))s") }
            if let collapseKey { object.member("collapse_key", collapseKey) }
        }
    }

    /// What only Android's own notification has; the badge that differs by device comes behind it.
    private var screenText: String {
        FCMMessage.members { object in
            guard let notification else { return }
            if let tag = notification.tag { object.member("tag", tag) }
            if let channel = notification.channel { object.member("channel_id", channel) }
            if let sound = notification.sound { object.member("sound", sound) }
            if let icon = notification.icon { object.member("icon", icon) }
            if let color = notification.color { object.member("color", color) }
            if let clickAction = notification.clickAction { object.member("click_action", clickAction) }
            if case .set(let count)? = notification.badge { object.member("notification_count", Int(count)) }
        }
    }

    /// An object's members without its braces.
    private static func members(_ write: (inout JSONText) -> Void) -> String {
        String(JSONText.object(write).dropFirst().dropLast())
    }
}
