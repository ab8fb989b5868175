import Apps
import JSONKit
import LocalTime
import PushModel
import ServiceKit
import TaskModel

/// A task in the native API. Errors are added to the problems of the fields.
struct NativeTaskForm {
    private let fields: JSONFields

    init(_ fields: JSONFields) {
        self.fields = fields
        // All names are allowed first, so that a misspelt name is detected before another is reported as missing.
        fields.allow([
            "audience", "users", "devices", "message", "messages", "payloads", "platforms", "variables", "options",
            "send_at", "send_at_local", "deliver_within", "method", "quiet_hours", "cap", "rate", "replaces", "labels",
        ])
    }

    /// The result is undefined if there are problems. `authorize` is called as soon as the audience is known, so that a
    /// caller without the scope is refused before the rest is read; what a saved audience means is not known here.
    func draft(
        defaults: AppDefaults, authorize: (Scope) throws(Gatekeeper.AccessError) -> Void
    ) throws(Gatekeeper.AccessError) -> TaskDraft {
        var draft = TaskDraft()
        let target = TargetForm(fields: fields)
        draft.audience = target.audience()
        if fields.problems.all.isEmpty, !draft.hasSavedAudience { try authorize(draft.scope) }
        draft.entries = target.users() + target.devices()
        draft.content = NativeContentForm(fields).content()
        draft.options = options(defaults)
        draft.timing = timing()
        if fields.has("deliver_within") { draft.entries = draft.entries.withoutRepeats }
        draft.timing.window = window(of: draft)
        draft.replaces = fields.text("replaces", expected: ReplacementKey.rule) {
            ReplacementKey.isAllowed($0) ? $0 : nil
        }
        if draft.timing.window != nil, draft.entries.count > 1 { rejectWhatNeedsOneTask() }
        draft.labels = TaskLabels(in: fields)
        target.checkIsAddressed(draft)
        if draft.entries.count > TaskLimits.entriesMaximum {
            fields.problems.add(
                "users",
                message: "too long: at most \(TaskLimits.entriesMaximum) entries with devices; send several tasks")
        }
        fields.rejectUnknown()
        return draft
    }

    private func timing() -> DraftTiming {
        var timing = DraftTiming()
        timing.sendAt = fields.text("send_at", expected: "a time with a zone, such as 2026-12-24T18:00:00Z") {
            Timestamp(rfc3339: $0)
        }
        timing.localTime = fields.text(
            "send_at_local", expected: "a local time without a zone, such as 2026-12-24T09:00"
        ) { LocalDateTime($0) }
        if timing.sendAt != nil, timing.localTime != nil {
            fields.reject("send_at_local", message: "cannot be combined with send_at; remove one of them")
        }
        let choice = fields.text("quiet_hours", expected: "defer, skip or ignore") { text -> DraftTiming.QuietChoice? in
            text == "ignore" ? .ignore : DeliveryRules.QuietPolicy(rawValue: text).map { .obey($0) }
        }
        timing.quietHours = choice ?? timing.quietHours
        timing.rate = fields.integer("rate", in: PushRate.allowed)
        let capChoice = fields.text("cap", expected: "defer, skip or ignore") { text -> DraftTiming.CapChoice? in
            text == "ignore" ? .ignore : DeliveryRules.CapPolicy(rawValue: text).map { .obey($0) }
        }
        timing.cap = capChoice ?? timing.cap
        return timing
    }

    /// Each user gets a task of its own.
    private func rejectWhatNeedsOneTask() {
        for name in ["replaces", "rate"] where fields.has(name) {
            fields.reject(name, message: "needs one user, since with deliver_within each user gets a task")
        }
    }

    /// Each user has moments of its own. The window is that of the first one.
    private func window(of draft: TaskDraft) -> DraftWindow? {
        let length = fields.text(
            "deliver_within", expected: "a duration from 1m to 90d, such as 3h"
        ) { text in
            DurationText.parse(text).flatMap { DeliveryWindow.lengths.contains($0) ? $0 : nil }
        }
        let method = fields.text("method", expected: "context_aware, traditional or compare") { text in
            text == "compare"
                ? DraftWindow.MethodChoice.compared : DeliveryWindow.Method(rawValue: text).map { .fixed($0) }
        }
        guard let length else {
            if fields.has("method"), !fields.has("deliver_within") {
                fields.reject("method", message: "needs deliver_within, the time within which the task is sent")
            }
            return nil
        }
        if draft.timing.localTime != nil {
            fields.reject("deliver_within", message: "cannot be combined with send_at_local; remove one of them")
        }
        let users = draft.entries.compactMap { entry -> Alias? in
            guard case .alias(let user) = entry else { return nil }
            return user
        }
        guard draft.audience == nil, users.count == draft.entries.count, let user = users.first else {
            fields.reject("deliver_within", message: "expected a task for users alone, in users")
            return nil
        }
        guard users.count <= TaskLimits.windowedUsersMaximum else {
            fields.reject(
                "users",
                message: "too long: at most \(TaskLimits.windowedUsersMaximum) users with deliver_within, since each "
                    + "gets a task; send several requests")
            return nil
        }
        return DraftWindow(
            for: user, end: .after(length), method: method ?? .fixed(.contextAware), field: "deliver_within")
    }

    private func options(_ defaults: AppDefaults) -> TaskOptions {
        var options = TaskOptions()
        options.timeToLive = defaults.timeToLive
        guard let given = fields.object("options") else { return options }
        options.collapseID = given.text("collapse_id")
        options.priority =
            given.text("priority", expected: "high or normal") { TaskOptions.Priority(rawValue: $0) } ?? .high
        options.timeToLive = given.timeToLive("time_to_live") ?? options.timeToLive
        options.ambiguity =
            given.text("ambiguous", expected: "at_least_once or at_most_once") {
                TaskOptions.Ambiguity(rawValue: $0)
            } ?? .atLeastOnce
        given.rejectUnknown()
        return options
    }
}

extension [TargetEntry] {
    fileprivate var withoutRepeats: [TargetEntry] {
        var known: Set<TargetEntry> = []
        return filter { known.insert($0).inserted }
    }
}
