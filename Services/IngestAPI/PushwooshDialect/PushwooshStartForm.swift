import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// A notification of `startLiveActivity`. Errors are added to the problems of the fields.
struct PushwooshStartForm {
    /// Users or devices of one notification.
    static let entriesMaximum = TargetList.atOnceMaximum
    /// How long devices that cannot be reached are tried.
    private static let timeToLive = Duration.seconds(3_600)

    private let fields: JSONFields
    private let app: PushApp

    init(_ fields: JSONFields, app: PushApp) {
        self.fields = fields
        self.app = app
        // All names are allowed first, so that a misspelt name is detected before another is reported as missing.
        fields.allow([
            "content", "title", "live_activity", "live_activity_id", "filter_code", "filter", "devices", "users",
        ])
    }

    /// Nil if there are problems. `generated` is the id of an activity for which the publisher chose none.
    func draft(
        id generated: ActivityID, authorize: (Scope) throws(Gatekeeper.AccessError) -> Void
    ) throws(Gatekeeper.AccessError) -> ActivityDraft? {
        let target = target()
        if fields.problems.all.isEmpty, !target.hasSavedAudience { try authorize(target.scope) }
        let id = fields.text("live_activity_id", expected: ActivityID.rule) { try? ActivityID($0) } ?? generated
        let activity = fields.object("live_activity", isRequired: true).map { self.activity($0) }
        let content = PushwooshText("content", in: fields, language: app.defaults.language)
        let title = PushwooshText("title", in: fields, language: app.defaults.language)
        fields.rejectUnknown()
        guard fields.problems.all.isEmpty, let activity, let type = activity.type, let state = activity.state else {
            return nil
        }
        var alert = JSONObject([("title", .string(title?.standard ?? activity.title ?? app.id.text))])
        alert["body"] = (content?.standard).map { .string($0) }
        var draft = ActivityDraft(id: id, type: type, contentState: state, alert: alert)
        draft.attributes = activity.attributes
        draft.identity = .pushwoosh
        draft.target = target
        if let content {
            var message = PushMessage()
            message.body = content.localized("content", variables: &draft.target.content.variables)
            message.title = title?.localized("title", variables: &draft.target.content.variables)
            draft.fallback = message
        }
        return draft
    }

    private struct Activity {
        let type: ActivityType?
        let attributes: JSONObject
        let state: JSONObject?
        let title: String?
    }

    private func activity(_ fields: JSONFields) -> Activity {
        fields.allow(["content-state", "attributes-type", "attributes", "event", "title"])
        _ = fields.text("event", expected: "start, or no event") { $0.utf8.elementsEqual("start".utf8) ? $0 : nil }
        let type = fields.text("attributes-type", expected: ActivityType.rule, isRequired: true) {
            try? ActivityType($0)
        }
        let attributes = fields.activityObject("attributes") ?? JSONObject()
        if attributes[ActivityDraft.Identity.pushwoosh.rawValue] != nil {
            fields.reject("attributes", message: "has a member pushwoosh, which is added to every start; rename it")
        }
        let state = fields.activityObject("content-state")
        let title = fields.text("title")
        fields.rejectUnknown()
        return Activity(type: type, attributes: attributes, state: state, title: title)
    }

    /// Users before devices, and devices before a filter, as Pushwoosh has it. Without any, it is for the whole app; a
    /// list that is empty by mistake is not.
    private func target() -> TaskDraft {
        var draft = TaskDraft()
        draft.dialect = .pushwoosh
        draft.options.timeToLive = PushwooshStartForm.timeToLive
        draft.options.priority = .high
        let (users, devices) = (users(), devices())
        let filters = ["filter_code", "filter"].compactMap { name in
            fields.text(name, expected: "the name of a saved audience: \(AudienceName.rule)") { try? AudienceName($0) }
        }
        if filters.count > 1 { fields.reject("filter", message: "not beside filter_code; remove one") }
        draft.entries = users.isEmpty ? devices : users
        if draft.entries.isEmpty { draft.audience = filters.first.map { .saved($0) } ?? .everyone }
        return draft
    }

    private func users() -> [TargetEntry] {
        let rule = "a user of 1 to \(Alias.bytesMaximum) bytes without control characters"
        return entries("users").compactMap { element in
            element.text(expected: rule) { (try? Alias(.externalUser, value: $0)).map { .alias($0) } }
        }
    }

    /// Identifiers of devices, or their push tokens.
    private func devices() -> [TargetEntry] {
        let rule = "a push token, or an hwid of 1 to \(Alias.bytesMaximum) bytes without control characters"
        return entries("devices").compactMap { element in
            element.text(expected: rule) { text in
                if let token = try? PushToken(.apns, text: text) { return .token(token) }
                return (try? Alias(.hardware, value: text)).map { .alias($0) }
            }
        }
    }

    private func entries(_ name: String) -> JSONElements {
        fields.elements(name, countMinimum: 1, countMaximum: PushwooshStartForm.entriesMaximum)
    }
}
