import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// The start of a Live Activity in the native API.
struct ActivityStartForm {
    private let fields: JSONFields

    init(_ fields: JSONFields) {
        self.fields = fields
        fields.allow(
            TargetForm.names + ActivityFields.ofState + [
                "id", "type", "attributes", "priority", "time_to_live", "fallback", "mirror", "updates",
            ])
    }

    /// Nil if there are problems. `id` is that of an activity for which the publisher chose none.
    func draft(
        id generated: ActivityID, authorize: (Scope) throws(Gatekeeper.AccessError) -> Void
    ) throws(Gatekeeper.AccessError) -> ActivityDraft? {
        let target = try target(authorize: authorize)
        let id = fields.text("id", expected: ActivityID.rule) { try? ActivityID($0) } ?? generated
        let type = fields.text("type", expected: ActivityType.rule, isRequired: true) { try? ActivityType($0) }
        let state = ActivityFields(fields: fields)
        let contentState = state.contentState(isRequired: true)
        let alert = state.alert(isRequired: true)
        let attributes = fields.value("attributes", expected: "an object") { $0.object } ?? JSONObject()
        if attributes[ActivityDraft.Identity.carillon.rawValue] != nil {
            fields.reject("attributes", message: "has a member carillon, which Carillon adds itself; rename it")
        }
        let fallback = fields.object("fallback").map { PushMessage($0) }
        let feed = fields.text("updates", expected: "tokens or channel") { ActivityBase.Feed(rawValue: $0) }
        let isMirrored = fields.bool("mirror") ?? false
        let (staleDate, relevance) = (state.staleDate(), state.relevance())
        fields.rejectUnknown()
        guard fields.problems.all.isEmpty, let type, let contentState, let alert else { return nil }
        var draft = ActivityDraft(id: id, type: type, contentState: contentState, alert: alert)
        draft.attributes = attributes
        draft.staleDate = staleDate
        draft.relevance = relevance
        draft.fallback = fallback
        draft.fallbackPlatforms = isMirrored ? [.ios] : Set(Platform.supported)
        draft.feed = feed ?? .tokens
        draft.isMirrored = isMirrored
        draft.target = target
        return draft
    }

    private func target(
        authorize: (Scope) throws(Gatekeeper.AccessError) -> Void
    ) throws(Gatekeeper.AccessError) -> TaskDraft {
        var draft = TaskDraft()
        let target = TargetForm(fields: fields, entriesMaximum: ActivityFields.entriesMaximum)
        draft.audience = target.audience()
        if fields.problems.all.isEmpty, !draft.hasSavedAudience { try authorize(draft.scope) }
        draft.entries = target.users() + target.devices()
        if draft.entries.count > ActivityFields.entriesMaximum {
            fields.problems.add(
                "users",
                message: "too long: at most \(ActivityFields.entriesMaximum) entries with devices; use an audience")
        }
        target.checkIsAddressed(draft)
        draft.options.timeToLive = fields.timeToLive("time_to_live") ?? ActivityStartForm.timeOfStart
        draft.options.priority =
            fields.text("priority", expected: "high or normal") { TaskOptions.Priority(rawValue: $0) } ?? .high
        return draft
    }

    /// How long devices that cannot be reached are tried.
    private static let timeOfStart = Duration.seconds(3_600)
}
