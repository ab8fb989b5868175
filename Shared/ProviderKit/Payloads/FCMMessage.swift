package import JSONKit
import ServiceKit
package import Topics

/// A message for Google's v1 interface, as a template that the sender completes for each device.
package struct FCMMessage: Sendable {
    package enum Flaw: Error, Sendable, Equatable, CustomStringConvertible {
        /// Google keeps these names for itself.
        case reservedKey(String)
        /// A nested value and a name with a dot in it come to the same.
        case repeatedKey(String)
        /// The data is no object.
        case notAnObject
        case tooLarge(bytes: Int)

        package var description: String {
            switch self {
            case .reservedKey(let key): "data.\(key): the name is reserved by Google"
            case .repeatedKey(let key): "data.\(key): occurs twice once nested values are flattened"
            case .notAnObject: "data: must be an object"
            case .tooLarge(let bytes): "the payload has \(bytes) bytes; Google takes \(FCMMessage.bytesMaximum)"
            }
        }
    }

    package struct Notification: Sendable {
        package var title: String?
        package var body: String?
        package var image: String?
        /// What replaces an earlier one on the screen.
        package var tag: String?
        package var channel: String?
        package var sound: String?
        package var clickAction: String?
        /// Whether the device's badge goes along.
        package var hasBadge = false

        package init() {}
    }

    /// Of notification and data together, as they are written; what surrounds them is not counted.
    package static let bytesMaximum = 4_096
    /// Google keeps a message for four weeks at most.
    package static let timeToLiveMaximum = 2_419_200
    private static let badgeDigits = 10

    package var notification: Notification?
    package var priority = RenderedVariant.Priority.high
    /// Seconds; nil for Google's own.
    package var timeToLive: Int?
    package var collapseKey: String?
    package var analyticsLabel: String?
    package private(set) var data: [(key: String, value: String)] = []

    package init() {}

    /// Google takes texts alone: members of objects get the path to them as their name, with dots; numbers and truth
    /// values are written out, lists as JSON; what is null is left out.
    package mutating func setData(_ value: JSON) throws(Flaw) {
        guard let object = value.object else { throw .notAnObject }
        var flat: [(key: String, value: String)] = []
        FCMMessage.flatten(object, under: "", into: &flat)
        var known: Set<String> = []
        for (key, _) in flat {
            guard !FCMMessage.isReserved(key) else { throw .reservedKey(key) }
            guard known.insert(key).inserted else { throw .repeatedKey(key) }
        }
        data = flat
    }

    /// Throws when the worst of it, with the longest badge, is larger than Google takes.
    package func template() throws(Flaw) -> PayloadTemplate {
        let bytes = payloadByteCount
        guard bytes <= FCMMessage.bytesMaximum else { throw .tooLarge(bytes: bytes) }
        let start = #"{"message":{"token":""#
        let rest = #"",\#(sharedText)"android":{\#(androidText)"#
        guard let notification else { return FCMMessage.template([start, rest + "}}}"]) }
        let onScreen = rest + #","notification":{\#(androidNotificationText)"#
        guard notification.hasBadge else { return FCMMessage.template([start, onScreen + "}}}}"]) }
        let comma = androidNotificationText.isEmpty ? "" : ","
        return FCMMessage.template([start, onScreen + #"\#(comma)"notification_count":"#, "}}}}"])
    }

    private static func template(_ parts: [String]) -> PayloadTemplate {
        PayloadTemplate(parts: parts.map { Array($0.utf8) }, slots: Array([.token, .badge].prefix(parts.count - 1)))
    }

    private static func flatten(
        _ object: JSONObject, under path: String, into flat: inout [(key: String, value: String)]
    ) {
        for (name, value) in object.members {
            let key = path.isEmpty ? name : "\(path).\(name)"
            switch value {
            case .null: continue
            case .object(let inner): flatten(inner, under: key, into: &flat)
            case .string(let text): flat.append((key, text))
            case .bool, .integer, .unsigned, .number, .array: flat.append((key, value.compactText))
            }
        }
    }

    private static func isReserved(_ key: String) -> Bool {
        key.isEmpty || key == "from" || key == "message_type" || key.hasPrefix("google") || key.hasPrefix("gcm")
    }

    private var payloadByteCount: Int {
        sharedText.utf8.count + androidNotificationText.utf8.count
            + (notification?.hasBadge == true ? FCMMessage.badgeDigits : 0)
    }

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
                for (key, value) in data { object.member(key, value) }
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

    private var androidNotificationText: String {
        FCMMessage.members { object in
            guard let notification else { return }
            if let tag = notification.tag { object.member("tag", tag) }
            if let channel = notification.channel { object.member("channel_id", channel) }
            if let sound = notification.sound { object.member("sound", sound) }
            if let clickAction = notification.clickAction { object.member("click_action", clickAction) }
        }
    }

    /// An object's members without its braces.
    private static func members(_ write: (inout JSONText) -> Void) -> String {
        String(JSONText.object(write).dropFirst().dropLast())
    }
}
