import JSONKit
import ServiceKit
package import TaskModel

/// An Android notification, with the fields that both providers support.
package struct AndroidNotification: Sendable, Hashable {
    package var title: String?
    package var body: String?
    package var image: String?
    /// A notification replaces an earlier one with the same tag.
    package var tag: String?
    package var channel: String?
    package var sound: String?
    package var icon: String?
    package var color: String?
    package var clickAction: String?
    package var badge: PushMessage.Badge?

    package init() {}

    /// The publishers' format, which is Google's.
    init(_ object: JSONObject, path: String) throws(RenderingError) {
        for (name, value) in object.members {
            guard let field = AndroidNotification.fields[name] else {
                let known = AndroidNotification.fields.keys.sorted().joined(separator: ", ")
                throw RenderingError(
                    "\(path).\(OutsideText.excerpt(name))",
                    message: "unknown field; expected \(known); put others into data")
            }
            guard value != .null else { continue }
            guard let text = value.text else {
                throw RenderingError("\(path).\(name)", message: "expected a string, got \(value.kind)")
            }
            self[keyPath: field] = text
        }
    }

    func writeTexts(to json: inout JSONText) {
        if let title { json.member("title", title) }
        if let body { json.member("body", body) }
        if let image { json.member("image", image) }
    }

    func writeAppearance(to json: inout JSONText) {
        if let tag { json.member("tag", tag) }
        if let channel { json.member("channel_id", channel) }
        if let icon { json.member("icon", icon) }
        if let color { json.member("color", color) }
    }

    private static var fields: [String: WritableKeyPath<AndroidNotification, String?>] {
        [
            "title": \.title, "body": \.body, "image": \.image, "tag": \.tag, "channel_id": \.channel,
            "sound": \.sound, "icon": \.icon, "color": \.color, "click_action": \.clickAction,
        ]
    }
}
