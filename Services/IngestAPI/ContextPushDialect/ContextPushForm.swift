import Apps
import JSONKit
import PushModel
import ServiceKit
import Signing
import TaskModel

/// A message to be scheduled. Errors are added to the problems of the fields.
struct ContextPushForm: Sendable {
    /// Of the fields that its report and its webhooks repeat, the one that tells two requests with one key apart.
    private static let fingerprintName = "fingerprint"
    private static let hours = 1...Int(DeliveryWindow.lengths.upperBound.wholeMilliseconds / 3_600_000)
    private static let windowNames = ["deliver_within_hours", "target_delivery_time"]

    let name: ContextPushName
    private let content: ContextPushContent
    private let window: DraftWindow
    private let bundle: String
    private let postedContent: JSON
    /// Digest of everything that two requests with one key may differ in.
    let fingerprint: [UInt8]

    /// Nil if there are errors.
    init?(_ fields: JSONFields, bundle: String) {
        // All names are allowed first, so that a misspelt name is detected before another is reported as missing.
        fields.allow(
            ["bundle_id", "platform", "user_id", "campaign_id", "idempotency_key", "delivery_method", "content"]
                + ContextPushForm.windowNames)
        let isComplete = fields.unknownNames.isEmpty
        let name = ContextPushName(fields, requiresKey: false)
        let method = ContextPushForm.method(fields)
        let end = ContextPushForm.end(fields, isComplete: isComplete)
        let content = fields.object("content", isRequired: isComplete).map { ContextPushContent($0) }
        fields.rejectUnknown()
        guard let name, let end, let content, fields.problems.all.isEmpty else { return nil }
        self.name = name
        self.content = content
        self.bundle = bundle
        window = DraftWindow(for: name.user, end: end.value, method: method, field: end.field)
        postedContent = ContextPushForm.posted("content", in: fields)
        let meaning = ["content", "delivery_method"] + ContextPushForm.windowNames
        let posted = meaning.map { ($0, ContextPushForm.posted($0, in: fields).ordered) }
        fingerprint = SHA256.digest(
            of: JSON.object(JSONObject([("bundle_id", .string(bundle))] + posted)).compactBytes)
    }

    func draft(_ id: TaskID, app: AppID, defaults: AppDefaults) -> TaskDraft {
        let key = name.key ?? "\(id)"
        var draft = TaskDraft()
        draft.dialect = .contextpush
        draft.entries = [.alias(name.user)]
        draft.content = content.content(for: name.platform, key: key)
        draft.options.timeToLive = defaults.timeToLive
        draft.timing.window = window
        draft.replaces = name.replacementKey(in: app)?.text
        draft.labels[CampaignCohort.label] = name.campaign
        draft.reported = JSONObject([
            ("bundle_id", .string(bundle)), ("platform", .string(name.platform.rawValue)),
            ("user_id", .string(name.user.value)), ("campaign_id", .string(name.campaign)),
            ("idempotency_key", .string(key)), ("content", postedContent),
            (ContextPushForm.fingerprintName, .string(Base64URL.encode(fingerprint))),
        ])
        return draft
    }

    /// True if the task was made of the same request. It has the same key.
    func isOf(_ task: PushTask) -> Bool {
        task.reported[ContextPushForm.fingerprintName] == .string(Base64URL.encode(fingerprint))
    }

    /// Without one both are compared.
    private static func method(_ fields: JSONFields) -> DraftWindow.MethodChoice {
        let method = fields.text("delivery_method", expected: "context_aware or traditional") {
            DeliveryWindow.Method(rawValue: $0)
        }
        return method.map { .fixed($0) } ?? .compared
    }

    private static func end(_ fields: JSONFields, isComplete: Bool) -> (value: DraftWindow.End, field: String)? {
        let hours = fields.integer(windowNames[0], in: hours)
        let time = fields.text(windowNames[1], expected: "a time with a zone, such as 2026-12-24T18:00:00Z") {
            Timestamp(rfc3339: $0)
        }
        let given = windowNames.filter { fields.has($0) }
        if given.count == 2 || given.isEmpty && isComplete {
            fields.reject(
                windowNames[0], message: "expected exactly one of \(windowNames[0]) and \(windowNames[1])")
            return nil
        }
        if let hours { return (.after(.seconds(hours * 3_600)), windowNames[0]) }
        return time.map { (.at($0), windowNames[1]) }
    }

    private static func posted(_ name: String, in fields: JSONFields) -> JSON {
        fields.value(name, expected: "a value") { $0 } ?? .null
    }
}

extension JSON {
    /// The members of objects in the order of their names: some clients write them in another order each time.
    fileprivate var ordered: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.ordered))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { (name: $0.name, value: $0.value.ordered) }
                        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }))
        default: self
        }
    }
}
