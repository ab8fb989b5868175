import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// The messages of an element, one for each platform. Errors are added to the problems of the fields.
struct AppMetricaMessages: Sendable {
    /// Far more than the payloads of both platforms.
    static let limits = JSONLimits(
        bytesMaximum: 64 << 10, depthMaximum: 8, valuesMaximum: 1_000, containersMaximum: 100, namesMayRepeat: false)
    private static let attachmentBytesMaximum = 256

    private(set) var content = TaskContent()
    /// The longest of all messages.
    private(set) var timeToLive = Duration.zero
    /// Names that are not part of the API; they are ignored.
    private(set) var unknownNames: [String] = []

    init(_ fields: JSONFields) {
        if let android = fields.object("android") { readAndroid(android) }
        let names = ["iOS", "ios"].filter { fields.has($0) }
        if names.count > 1 { fields.reject("ios", message: "given twice, as iOS and as ios; remove one of them") }
        if let name = names.first, let apple = fields.object(name) { readApple(apple) }
        unknownNames += fields.unknownNames
        if content.messages.isEmpty, fields.problems.all.isEmpty {
            fields.problems.add(fields.path, message: "no message; expected android, iOS or both")
        }
    }

    /// The content of messages that have been checked.
    static func content(of bytes: ArraySlice<UInt8>) throws(JSONError) -> TaskContent {
        let json = try JSON(Array(bytes), limits: limits)
        return AppMetricaMessages(JSONFields(json, problems: JSONProblems())).content
    }

    var platforms: Set<Platform> { content.targetedPlatforms }

    private mutating func readAndroid(_ fields: JSONFields) {
        var message = PushMessage()
        var android = AndroidFields()
        message.isSilent = fields.bool("silent") ?? false
        if let given = fields.object("content", isRequired: !message.isSilent) {
            readTexts(given, of: "android", into: &message)
            message.image = address("image", in: given)
            android.icon = given.text("icon")
            android.color = given.text("icon_background", expected: "a color such as #80FF8800") { HexColor($0) }
            android.banner = address("banner", in: given)
            android.channel = given.text("channel_id")
            android.importance = given.integer("priority", in: AndroidFields.importanceAllowed)
            // Pushes with the same number replace each other, also those without one.
            android.tag = String(given.integer("collapse_key", in: Int(Int32.min)...Int(Int32.max)) ?? 0)
            android.vibration = vibration(given)
            android.light = light(given)
            android.timeToLive = lifetime("time_to_live", in: given)
            android.visibility = given.text("visibility", expected: "public, private or secret") {
                AndroidFields.Visibility(rawValue: $0)
            }
            android.priority = given.text("urgency", expected: "high or normal") { TaskOptions.Priority(rawValue: $0) }
            unknownNames += given.unknownNames
        }
        if let action = fields.object("open_action") {
            message.data["deeplink"] = action.text("deeplink", bytesMaximum: WebAddress.bytesMaximum).map {
                .string($0)
            }
            unknownNames += action.unknownNames
        }
        message.android = android
        add(message, for: .android, timeToLive: android.timeToLive)
        unknownNames += fields.unknownNames
    }

    private mutating func readApple(_ fields: JSONFields) {
        var message = PushMessage()
        var apple = AppleFields()
        message.isSilent = fields.bool("silent") ?? false
        if let given = fields.object("content", isRequired: !message.isSilent) {
            readTexts(given, of: "ios", into: &message)
            message.badge = given.integer("badge", in: 0...999_999_999).map { .set(UInt32($0)) }
            let sound = given.text("sound", expected: "default or disable") {
                ["default", "disable"].contains($0) ? $0 : nil
            }
            message.sound = sound == "default" ? sound : nil
            message.category = given.text("category")
            apple.thread = given.text("thread_id")
            apple.isMutable = given.integer("mutable_content", in: 0...1) == 1
            apple.timeToLive = lifetime("expiration", in: given)
            apple.collapseID = given.text("collapse_id", expected: TaskOptions.collapseIDRule) {
                TaskOptions.isCollapseID($0) ? $0 : nil
            }
            apple.attachments = attachments(given)
            unknownNames += given.unknownNames
        }
        if let action = fields.object("open_action") {
            message.url = action.text("url", bytesMaximum: WebAddress.bytesMaximum)
            unknownNames += action.unknownNames
        }
        message.apple = apple
        add(message, for: .ios, timeToLive: apple.timeToLive)
        unknownNames += fields.unknownNames
    }

    private mutating func add(_ message: PushMessage, for platform: Platform, timeToLive: Duration?) {
        content.messages[platform] = message
        self.timeToLive = max(self.timeToLive, timeToLive ?? TaskOptions.timeToLiveAllowed.upperBound)
    }

    private mutating func readTexts(_ fields: JSONFields, of platform: String, into message: inout PushMessage) {
        message.title = text("title", in: fields, of: platform, isRequired: !message.isSilent)
        message.body = text("text", in: fields, of: platform, isRequired: !message.isSilent)
        message.data["data"] = fields.text("data", bytesMaximum: LocalizedText.bytesMaximum).map { .string($0) }
    }

    /// AppMetrica knows no variables: what looks like one is passed on as the value of one.
    private mutating func text(
        _ name: String, in fields: JSONFields, of platform: String, isRequired: Bool
    ) -> LocalizedText? {
        guard let text = fields.text(name, bytesMaximum: LocalizedText.bytesMaximum, isRequired: isRequired) else {
            return nil
        }
        guard text.utf8.contains(UInt8(ascii: "$")) else { return LocalizedText(text) }
        let variable = "\(platform).\(name)"
        content.variables[variable] = text
        return LocalizedText("${var.\(variable)}")
    }

    private func address(_ name: String, in fields: JSONFields, isRequired: Bool = false) -> String? {
        fields.text(
            name, expected: "an https URL of at most \(WebAddress.bytesMaximum) bytes", isRequired: isRequired
        ) {
            WebAddress($0)?.scheme == .https ? $0 : nil
        }
    }

    private func lifetime(_ name: String, in fields: JSONFields) -> Duration? {
        fields.integer(name, in: 0...Int(Int32.max)).map { min(.seconds($0), TaskOptions.timeToLiveAllowed.upperBound) }
    }

    private func vibration(_ fields: JSONFields) -> [Int] {
        let allowed = AndroidFields.millisecondsAllowed
        return fields.elements("vibration", countMaximum: AndroidFields.vibrationCountMaximum).compactMap { element in
            element.value(expected: "milliseconds from \(allowed.lowerBound) to \(allowed.upperBound)") { value in
                guard case .integer(let number) = value else { return nil }
                return Int(exactly: number).flatMap { allowed.contains($0) ? $0 : nil }
            }
        }
    }

    /// Partial sets are allowed.
    private func light(_ fields: JSONFields) -> AndroidFields.Light? {
        guard ["led_color", "led_interval", "led_pause_interval"].contains(where: { fields.has($0) }) else {
            return nil
        }
        var light = AndroidFields.Light()
        let allowed = AndroidFields.millisecondsAllowed
        let color = fields.text("led_color", expected: "a color such as #FF8800") { HexColor($0) }
        light.color = color ?? light.color
        light.onMilliseconds = fields.integer("led_interval", in: allowed) ?? light.onMilliseconds
        light.offMilliseconds = fields.integer("led_pause_interval", in: allowed) ?? light.offMilliseconds
        return light
    }

    private func attachments(_ fields: JSONFields) -> [AppleFields.Attachment] {
        fields.elements("attachments", countMaximum: AppleFields.attachmentsMaximum).compactMap { element in
            guard let given = element.fields else { return nil }
            let id = given.text("id", bytesMaximum: AppMetricaMessages.attachmentBytesMaximum, isRequired: true)
            let type = given.text("file_type", bytesMaximum: AppMetricaMessages.attachmentBytesMaximum)
            let url = address("file_url", in: given, isRequired: true)
            guard let id, let url else { return nil }
            return AppleFields.Attachment(id: id, url: url, type: type)
        }
    }
}
