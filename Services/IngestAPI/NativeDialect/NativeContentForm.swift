import JSONKit
import ServiceKit
import TaskModel

/// What the devices get, as the native API writes it: a message for all platforms, payloads for single ones, or both.
struct NativeContentForm {
    /// Those that something is sent to.
    static let platforms: [Platform] = [.ios, .android]
    private static let names = platforms.map(\.rawValue).joined(separator: " or ")

    private let fields: JSONFields

    init(_ fields: JSONFields) {
        self.fields = fields
    }

    func content() -> TaskContent {
        var content = TaskContent()
        content.message = fields.object("message").map { message($0) }
        let problems = fields.problems.all.count
        content.payloads = payloads()
        let chosen = platforms()
        let isReadable = fields.problems.all.count == problems
        content.platforms = Set(chosen ?? NativeContentForm.platforms)
        content.variables = variables()
        if !fields.has("message"), !fields.has("payloads") {
            if fields.unknownNames.isEmpty {
                fields.problems.add("", message: "nothing is sent: give a message or payloads")
            }
        } else if let chosen, isReadable {
            check(chosen, content: content)
        }
        return content
    }

    private func message(_ given: JSONFields) -> PushMessage {
        let problems = given.problems.all.count
        let message = PushMessage(given)
        if let image = message.image, WebAddress(image)?.scheme != .https {
            given.reject("image", message: "must be an https address of at most \(WebAddress.bytesMaximum) bytes")
        }
        guard given.problems.all.count == problems else { return message }
        let isEmpty = message.title == nil && message.body == nil && message.data.members.isEmpty
        if isEmpty, !message.isSilent, message.badge == nil {
            fields.reject("message", message: "must have a title, a body, data or a badge, or be silent")
        }
        return message
    }

    private func platforms() -> [Platform]? {
        guard fields.has("platforms") else { return nil }
        let elements = fields.elements("platforms", countMinimum: 1, countMaximum: Platform.allCases.count)
        return elements.compactMap { element in
            element.text(expected: "\(NativeContentForm.names); nothing is sent to others yet") {
                Platform(rawValue: $0).flatMap { NativeContentForm.platforms.contains($0) ? $0 : nil }
            }
        }
    }

    private func payloads() -> [Platform: JSONObject] {
        guard let given = fields.object("payloads") else { return [:] }
        var payloads: [Platform: JSONObject] = [:]
        for platform in NativeContentForm.platforms {
            // What stands in them is the provider's, but for what is null there.
            payloads[platform] = given.value(platform.rawValue, expected: "an object") { value in
                value.object?.withoutNulls(below: platform == .ios ? ["aps", "alert"] : ["notification"])
            }
        }
        given.rejectUnknown()
        if payloads.isEmpty, fields.problems.all.isEmpty {
            fields.reject("payloads", message: "must have one for \(NativeContentForm.names)")
        }
        return payloads
    }

    private func check(_ chosen: [Platform], content: TaskContent) {
        for platform in NativeContentForm.platforms {
            let isMeant = chosen.contains(platform)
            if !isMeant, content.payloads[platform] != nil {
                fields.reject(
                    "payloads.\(platform.rawValue)", message: "is for a platform that platforms does not name")
            }
            if isMeant, content.payloads[platform] == nil, !fields.has("message") {
                fields.reject(
                    "platforms", message: "names \(platform.rawValue), which has neither a payload nor a message")
            }
        }
    }

    private func variables() -> [String: String] {
        let expected =
            "an object of at most \(TaskLimits.variablesMaximum) texts of at most \(TaskLimits.variableBytesMaximum)"
            + " bytes, whose names have 1 to \(TaskLimits.variableNameBytesMaximum)"
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
