import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// The member `content` of a request. Errors are added to the problems of the fields.
struct ContextPushContent: Sendable {
    /// Names in the payload, which the app's notification service extension reads.
    static let keyName = "ctx_idempotency_key"
    static let imageName = "ctx_image_url"
    private static let reservedPrefix = "ctx_"
    /// A message has room for both names.
    private static let userInfoMaximum = PushMessage.dataMembersMaximum - 2

    private var message = PushMessage()
    private var variables: [String: String] = [:]
    private let image: String?

    init(_ fields: JSONFields) {
        fields.allow([
            "title", "subtitle", "body", "default_locale", "sound", "badge", "userInfo", "thread-id", "imageUrl",
        ])
        image = fields.text(
            "imageUrl", expected: "an https URL of at most \(WebAddress.bytesMaximum) bytes"
        ) { WebAddress($0)?.scheme == .https ? $0 : nil }
        message.sound = fields.text("sound")
        message.badge = fields.integer("badge", in: 0...999_999_999).map { .set(UInt32($0)) }
        message.data = ContextPushContent.userInfo(fields)
        if let thread = fields.text("thread-id") {
            message.apple = AppleFields()
            message.apple?.thread = thread
        }
        let texts = ContextPushTexts(fields)
        message.title = localized("title", in: texts)
        message.subtitle = localized("subtitle", in: texts)
        message.body = localized("body", in: texts)
        fields.rejectUnknown()
    }

    /// The content of the message with this key, the publisher's or a generated one.
    func content(for platform: Platform, key: String) -> TaskContent {
        var message = message
        message.data[ContextPushContent.keyName] = .string(key)
        if platform == .ios, let image {
            // Not also as the message's image, which would be sent under a second name.
            message.data[ContextPushContent.imageName] = .string(image)
            message.apple = message.apple ?? AppleFields()
            message.apple?.isMutable = true
        } else {
            message.image = image
        }
        var content = TaskContent()
        content.message = message
        content.platforms = [platform]
        content.variables = variables
        return content
    }

    /// The field of the request that a task's field was made of.
    static func field(of path: String) -> String {
        let places = [
            ("message.data", "content.userInfo"), ("message.image", "content.imageUrl"), ("message", "content"),
        ]
        for (inner, outer) in places where path == inner || path.hasPrefix("\(inner).") {
            return outer + path.dropFirst(inner.count)
        }
        return path
    }

    private static func userInfo(_ fields: JSONFields) -> JSONObject {
        let info = fields.value("userInfo", expected: "an object of at most \(userInfoMaximum) members") { value in
            value.object.flatMap { $0.members.count <= userInfoMaximum ? $0 : nil }
        }
        for (name, _) in info?.members ?? [] {
            guard name.utf8.starts(with: reservedPrefix.utf8) || name.utf8.elementsEqual("aps".utf8) else { continue }
            fields.reject(
                "userInfo.\(OutsideText.excerpt(name))",
                message: "reserved name: aps, and names that begin with \(reservedPrefix); choose another name")
        }
        return info ?? JSONObject()
    }

    private mutating func localized(_ name: String, in texts: ContextPushTexts) -> LocalizedText? {
        guard let text = texts.text(name) else { return nil }
        var translations: [String: String] = [:]
        for (locale, translation) in text.translations {
            translations[locale] = literal(translation, variable: "\(name).\(locale)")
        }
        return LocalizedText(literal(text.standard, variable: name), translations: translations)
    }

    /// ContextPush knows no variables: what looks like one is passed on as the value of one.
    private mutating func literal(_ text: String, variable: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        variables[variable] = text
        return "${var.\(variable)}"
    }
}
