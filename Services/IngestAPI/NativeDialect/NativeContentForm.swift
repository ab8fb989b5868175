import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// The content of a task in the native API: a message for all platforms, messages and payloads for single platforms, or
/// several of them.
struct NativeContentForm {
    private static let names = Platform.supported.map(\.rawValue).joined(separator: ", ")

    private let fields: JSONFields

    init(_ fields: JSONFields) {
        self.fields = fields
    }

    func content() -> TaskContent {
        var content = TaskContent()
        content.message = fields.object("message").map { message($0) }
        content.messages = messages()
        let problems = fields.problems.all.count
        content.payloads = payloads()
        let chosen = platforms()
        let isReadable = fields.problems.all.count == problems
        content.platforms = Set(chosen ?? Platform.supported)
        content.variables = variables()
        if !["message", "messages", "payloads"].contains(where: fields.has) {
            if fields.unknownNames.isEmpty {
                fields.problems.add("", message: "no content; expected message, messages or payloads")
            }
        } else if let chosen, isReadable {
            check(chosen, content: content)
        }
        return content
    }

    private func message(_ given: JSONFields) -> PushMessage {
        let problems = given.problems.all.count
        let message = PushMessage(given)
        for (name, address) in NativeContentForm.addresses(in: message) where WebAddress(address)?.scheme != .https {
            given.reject(name, message: "expected an https URL of at most \(WebAddress.bytesMaximum) bytes")
        }
        guard given.problems.all.count == problems else { return message }
        let isEmpty = message.title == nil && message.body == nil && message.data.members.isEmpty
        if isEmpty, !message.isSilent, message.badge == nil {
            given.problems.add(given.path, message: "expected a title, a body, data, a badge or silent")
        }
        return message
    }

    private static func addresses(in message: PushMessage) -> [(name: String, address: String)] {
        let single = [("image", message.image), ("url", message.url), ("android.banner", message.android?.banner)]
        let attached = (message.apple?.attachments ?? []).enumerated().map { place, attachment in
            ("ios.attachments[\(place)].url", attachment.url)
        }
        return single.compactMap { name, address in address.map { (name, $0) } } + attached
    }

    private func messages() -> [Platform: PushMessage] {
        guard let given = fields.object("messages") else { return [:] }
        var messages: [Platform: PushMessage] = [:]
        for platform in Platform.supported {
            guard let own = given.object(platform.rawValue) else { continue }
            messages[platform] = message(own)
            for other in [Platform.ios, .android] where other != platform && own.has(other.rawValue) {
                own.reject(
                    other.rawValue,
                    message: "has no effect on \(platform.rawValue); move it to messages.\(other.rawValue)")
            }
        }
        given.rejectUnknown()
        if messages.isEmpty, fields.problems.all.isEmpty {
            fields.reject("messages", message: "expected a message for one of \(NativeContentForm.names)")
        }
        return messages
    }

    private func platforms() -> [Platform]? {
        guard fields.has("platforms") else { return nil }
        let elements = fields.elements("platforms", countMinimum: 1, countMaximum: Platform.allCases.count)
        return elements.compactMap { element in
            element.text(expected: "one of \(NativeContentForm.names)") { Platform(rawValue: $0) }
        }
    }

    private func payloads() -> [Platform: JSONObject] {
        guard let given = fields.object("payloads") else { return [:] }
        var payloads: [Platform: JSONObject] = [:]
        for platform in Platform.supported {
            // The provider defines the content of a payload; only null members are removed.
            payloads[platform] = given.value(platform.rawValue, expected: "an object") { value in
                value.object?.withoutNulls(below: platform == .ios ? ["aps", "alert"] : ["notification"])
            }
        }
        given.rejectUnknown()
        if payloads.isEmpty, fields.problems.all.isEmpty {
            fields.reject("payloads", message: "expected a payload for one of \(NativeContentForm.names)")
        }
        return payloads
    }

    private func check(_ chosen: [Platform], content: TaskContent) {
        for platform in Platform.supported {
            let own = [
                ("messages", "message", content.messages[platform] != nil),
                ("payloads", "payload", content.payloads[platform] != nil),
            ].filter { $0.2 }
            guard chosen.contains(platform) else {
                for (list, noun, _) in own {
                    fields.reject(
                        "\(list).\(platform.rawValue)",
                        message: "platform not listed in platforms; list it or remove the \(noun)")
                }
                continue
            }
            if own.isEmpty, !fields.has("message") {
                fields.reject(
                    "platforms",
                    message: "no payload or message for \(platform.rawValue); add one or remove the platform")
            }
        }
    }

    private func variables() -> [String: String] {
        let expected =
            "an object of at most \(TaskLimits.variablesMaximum) strings of at most \(TaskLimits.variableBytesMaximum)"
            + " bytes, with names of 1 to \(TaskLimits.variableNameBytesMaximum) bytes"
        return fields.value("variables", expected: expected) { $0.object.flatMap(NativeContentForm.variables) } ?? [:]
    }

    private static func variables(_ object: JSONObject) -> [String: String]? {
        guard object.members.count <= TaskLimits.variablesMaximum else { return nil }
        var variables: [String: String] = [:]
        for (name, value) in object.members where value != .null {
            guard let text = value.text, text.utf8.count <= TaskLimits.variableBytesMaximum,
                1...TaskLimits.variableNameBytesMaximum ~= name.utf8.count
            else { return nil }
            variables[name] = text
        }
        return variables
    }
}
