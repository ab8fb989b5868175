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
    /// 0 is the importance of an ordinary notification.
    package var importance: Int?
    /// Milliseconds: a pause, a vibration, a pause, and so on.
    package var vibration: [Int] = []
    package var light: AndroidFields.Light?
    package var visibility: AndroidFields.Visibility?

    package init() {}

    init(_ message: PushMessage, texts: MessageTexts) {
        let fields = message.android ?? AndroidFields()
        title = texts.title
        body = texts.body
        image = fields.banner ?? message.image
        sound = message.sound
        channel = fields.channel ?? message.category
        badge = message.badge
        tag = fields.tag
        icon = fields.icon
        color = fields.color?.opaqueText
        importance = fields.importance
        vibration = fields.vibration
        light = fields.light
        visibility = fields.visibility
    }

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
        if let visibility { json.member("visibility", visibility.rawValue.uppercased()) }
        if let light { json.member("light_settings") { AndroidNotification.write(light, to: &$0) } }
    }

    /// `name` and the length of the list depend on the provider.
    func writeVibration(to json: inout JSONText, as name: String, countMaximum: Int = .max) {
        guard !vibration.isEmpty else { return }
        let texts = vibration.prefix(countMaximum).map { AndroidNotification.seconds($0) }
        json.member(name, json: JSONText.array(texts))
    }

    private static func write(_ light: AndroidFields.Light, to json: inout JSONText) {
        json.member("color") { json in
            json.member("alpha", share(light.color.alpha))
            json.member("red", share(light.color.red))
            json.member("green", share(light.color.green))
            json.member("blue", share(light.color.blue))
        }
        json.member("light_on_duration", seconds(light.onMilliseconds))
        json.member("light_off_duration", seconds(light.offMilliseconds))
    }

    /// From 0 to 1, with as many digits as tell all values apart.
    private static func share(_ part: UInt8) -> Double { (Double(part) / 255 * 1_000).rounded() / 1_000 }

    private static func seconds(_ milliseconds: Int) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        return rest == 0 ? "\(whole)s" : "\(whole).\(String(1_000 + rest).dropFirst())s"
    }

    private static var fields: [String: WritableKeyPath<AndroidNotification, String?>] {
        [
            "title": \.title, "body": \.body, "image": \.image, "tag": \.tag, "channel_id": \.channel,
            "sound": \.sound, "icon": \.icon, "color": \.color, "click_action": \.clickAction,
        ]
    }
}
