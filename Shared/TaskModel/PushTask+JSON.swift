package import JSONKit
import PushModel
import ServiceKit

/// Format of a task on the bus and in the store.
extension PushTask {
    private static let version = 1

    package var json: JSON {
        var object = JSONObject([
            ("version", .integer(Int64(PushTask.version))), ("id", .string("\(id)")), ("app", .string(app.text)),
            ("created", .string("\(created)")), ("credential", .string(credential)),
            ("dialect", .string(dialect.rawValue)), ("target", target.json), ("content", content.json),
            ("options", options.json),
        ])
        object["send_at"] = sendAt.map { .string("\($0)") }
        object["window"] = window?.json
        if !rules.areEmpty { object["rules"] = rules.json }
        object["replaces"] = replaces.map { .string($0.text) }
        if !labels.areEmpty { object["labels"] = labels.json }
        if hasListedContents { object["listed_contents"] = .bool(true) }
        if isWithdrawn { object["withdrawn"] = .bool(true) }
        if !unprovided.isEmpty { object["unprovided"] = .array(unprovided.map(\.name).sorted().map { .string($0) }) }
        object["receipt_key"] = receiptKey.map { .string(Base64URL.encode($0.bytes)) }
        if !reported.members.isEmpty { object["reported"] = .object(reported) }
        return .object(object)
    }

    /// Nil if invalid; errors are added to the problems.
    package init?(_ json: JSON, problems: JSONProblems) {
        let fields = JSONFields(json, problems: problems)
        _ = fields.integer("version", in: PushTask.version...PushTask.version, isRequired: true)
        let id = fields.text("id", expected: "a UUID", isRequired: true) { TaskID($0) }
        let app = fields.text("app", expected: "an app", isRequired: true) { try? AppID($0) }
        let created = fields.text("created", expected: "a time", isRequired: true) { Timestamp(rfc3339: $0) }
        let sendAt = fields.text("send_at", expected: "a time") { Timestamp(rfc3339: $0) }
        let window = fields.object("window").flatMap { DeliveryWindow($0) }
        let rules = created.flatMap { created in
            fields.object("rules").map { DeliveryRules($0, accepted: created) }
        }
        let replaces = app.flatMap { app in
            fields.text("replaces", expected: ReplacementKey.rule) { try? ReplacementKey($0, of: app) }
        }
        let labels = TaskLabels(in: fields)
        let hasListedContents = fields.bool("listed_contents") ?? false
        let isWithdrawn = fields.bool("withdrawn")
        let credential = fields.text("credential", expected: "a string") { $0 }
        let dialect = fields.text("dialect", expected: "a dialect", isRequired: true) { TaskDialect(rawValue: $0) }
        let target = fields.object("target", isRequired: true).map { TaskTarget($0) }
        let content = fields.object("content", isRequired: true).map { TaskContent($0) }
        let options = fields.object("options", isRequired: true).map { TaskOptions($0) }
        let unprovided = fields.elements("unprovided", countMaximum: PushProtocol.allCases.count).compactMap {
            $0.text(expected: "a protocol") { PushProtocol(name: $0) }
        }
        let receiptKey = fields.text("receipt_key", expected: "a key of \(TaskReceiptKey.byteCount) bytes") {
            Base64URL.decode($0).flatMap { TaskReceiptKey(bytes: $0) }
        }
        if hasListedContents, isWithdrawn != true, target?.isListInParts == false {
            fields.reject("listed_contents", message: "expected a list in parts, and no audience")
        }
        let reported = fields.value("reported", expected: "an object") { $0.object }
        guard problems.all.isEmpty, let id, let app, let created, let dialect, let target, let content, let options
        else { return nil }
        self.init(id: id, app: app, created: created)
        self.sendAt = sendAt
        self.window = window
        self.rules = rules ?? self.rules
        self.replaces = replaces
        self.labels = labels
        self.credential = credential ?? ""
        self.dialect = dialect
        self.target = target
        self.content = content
        self.hasListedContents = hasListedContents
        self.options = options
        self.unprovided = Set(unprovided)
        self.receiptKey = receiptKey
        self.reported = reported ?? JSONObject()
        if isWithdrawn == true { self = withdrawn }
    }
}

extension TaskTarget {
    /// True if it is nothing else.
    fileprivate var isListInParts: Bool {
        guard case .parts = list else { return false }
        return audience == nil
    }

    fileprivate var json: JSON {
        var object = JSONObject()
        object["audience"] = audience?.json
        switch list {
        case .entries(let entries):
            if !entries.isEmpty { object["entries"] = .array(entries.map(\.json)) }
        case .parts(let count, let entries):
            object["parts"] = .integer(Int64(count))
            object["part_entries"] = .integer(Int64(entries))
        }
        return .object(object)
    }

    fileprivate init(_ fields: JSONFields) {
        self.init()
        audience = fields.object("audience").flatMap { Audience($0) }
        if audience?.savedNames.isEmpty == false {
            fields.reject("audience", message: "expected the meaning of a saved audience, not its name")
        }
        if let count = fields.integer("parts", in: 1...ContentNumber.partsMaximum) {
            list = .parts(count: count, entries: fields.integer("part_entries", in: 1...400_000_000) ?? 0)
            return
        }
        list = .entries(
            fields.elements("entries", countMaximum: TargetList.entriesMaximum).compactMap {
                $0.value(expected: "an entry") { TargetEntry($0) }
            })
    }
}

extension TaskContent {
    package var json: JSON {
        var object = JSONObject()
        object["message"] = message?.json
        object["platforms"] = .array(platforms.map(\.rawValue).sorted().map { .string($0) })
        if !messages.isEmpty {
            let platforms = messages.keys.sorted { $0.rawValue < $1.rawValue }
            object["messages"] = .object(
                JSONObject(platforms.map { ($0.rawValue, messages[$0]?.json ?? .null) }))
        }
        let payloads = payloads.sorted { $0.key.rawValue < $1.key.rawValue }
        object["payloads"] = .object(JSONObject(payloads.map { ($0.key.rawValue, .object($0.value)) }))
        let variables = variables.sorted { $0.key < $1.key }
        object["variables"] = .object(JSONObject(variables.map { ($0.key, .string($0.value)) }))
        object["fallback_language"] = fallbackLanguage.map { .string($0) }
        object["navigate"] = navigate.map { .string($0) }
        if hasPlainAppleAlert { object["plain_apple_alert"] = .bool(true) }
        if wakesAppleApp { object["wakes_apple_app"] = .bool(true) }
        object["activity"] = activity?.json
        return .object(object)
    }

    /// Errors are added to the problems of the fields.
    package init(_ fields: JSONFields) {
        self.init()
        message = fields.object("message").map { PushMessage($0) }
        platforms = Set(
            fields.elements("platforms", countMaximum: Platform.allCases.count).compactMap {
                $0.text(expected: "a platform") { Platform(rawValue: $0) }
            })
        let own = fields.object("messages")
        for platform in Platform.allCases {
            messages[platform] = own?.object(platform.rawValue).map { PushMessage($0) }
            payloads[platform] = fields.object("payloads")?.value(platform.rawValue, expected: "an object") {
                $0.object
            }
        }
        variables =
            fields.value("variables", expected: "an object of strings") { value in
                value.object.flatMap { object in
                    let pairs = object.members.compactMap { member in member.value.text.map { (member.name, $0) } }
                    guard pairs.count == object.members.count else { return nil }
                    return Dictionary(pairs, uniquingKeysWith: { _, last in last })
                }
            } ?? [:]
        fallbackLanguage = fields.text("fallback_language")
        navigate = fields.text("navigate", bytesMaximum: WebAddress.bytesMaximum)
        hasPlainAppleAlert = fields.bool("plain_apple_alert") ?? false
        wakesAppleApp = fields.bool("wakes_apple_app") ?? false
        activity = fields.object("activity").flatMap { ActivityContent($0) }
    }
}

extension TaskOptions {
    fileprivate var json: JSON {
        var object = JSONObject([
            ("priority", .string(priority.rawValue)),
            ("time_to_live_ms", .integer(timeToLive.wholeMilliseconds)),
            ("ambiguity", .string(ambiguity.rawValue)),
        ])
        object["collapse_id"] = collapseID.map { .string($0) }
        return .object(object)
    }

    fileprivate init(_ fields: JSONFields) {
        self.init()
        collapseID = fields.text("collapse_id")
        priority = fields.text("priority", expected: "a priority") { Priority(rawValue: $0) } ?? .high
        let longest = 366 * 86_400_000
        if let milliseconds = fields.integer("time_to_live_ms", in: 0...longest, isRequired: true) {
            timeToLive = .milliseconds(milliseconds)
        }
        ambiguity = fields.text("ambiguity", expected: "a policy") { Ambiguity(rawValue: $0) } ?? .atLeastOnce
    }
}
