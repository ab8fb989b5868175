import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// A task as the native API writes it. What is wrong goes to the problems of the fields.
struct NativeTaskForm {
    private let fields: JSONFields

    init(_ fields: JSONFields) {
        self.fields = fields
        // All of them at once, so that a misspelt name is known for one before another is said to be missing.
        fields.allow(["audience", "users", "devices", "message", "payloads", "platforms", "variables", "options"])
    }

    /// Means nothing when there are problems. `authorize` is asked as soon as the audience is known: what the caller may
    /// not do is refused before the rest is read.
    func draft(
        defaults: AppDefaults, authorize: (Scope) throws(Gatekeeper.AccessError) -> Void
    ) throws(Gatekeeper.AccessError) -> TaskDraft {
        var draft = TaskDraft()
        draft.audience = audience()
        if fields.problems.all.isEmpty { try authorize(draft.scope) }
        draft.entries = users() + devices()
        draft.content = NativeContentForm(fields).content()
        draft.options = options(defaults)
        if !["audience", "users", "devices"].contains(where: fields.has) {
            if fields.unknownNames.isEmpty {
                fields.problems.add("", message: "no device is targeted: give an audience, users or devices")
            }
        } else if draft.audience == nil, draft.entries.isEmpty, fields.problems.all.isEmpty {
            fields.problems.add("", message: "no device is targeted: the lists of users and devices are empty")
        }
        if draft.entries.count > TaskLimits.entriesMaximum {
            fields.problems.add(
                "users",
                message: "and devices together may have \(TaskLimits.entriesMaximum) entries; send several tasks")
        }
        fields.rejectUnknown()
        return draft
    }

    private func audience() -> Audience? {
        guard let audience = fields.object("audience").flatMap({ Audience($0) }) else { return nil }
        do throws(InvalidValueError) {
            try audience.checkBounds()
        } catch {
            fields.reject("audience", message: error.description)
        }
        return audience
    }

    private func users() -> [TargetEntry] {
        fields.elements("users", countMaximum: TaskLimits.entriesMaximum).compactMap { element in
            element.text(expected: "a text of 1 to \(Alias.bytesMaximum) bytes without control characters") {
                (try? Alias(.externalUser, value: $0)).map { .alias($0) }
            }
        }
    }

    private func devices() -> [TargetEntry] {
        fields.elements("devices", countMaximum: TaskLimits.entriesMaximum).compactMap { element in
            element.text(expected: "a subscriber's id, as its registration answered it") {
                DeviceID($0).map { .device($0) }
            }
        }
    }

    private func options(_ defaults: AppDefaults) -> TaskOptions {
        var options = TaskOptions()
        options.timeToLive = defaults.timeToLive
        guard let given = fields.object("options") else { return options }
        options.collapseID = given.text("collapse_id")
        options.priority =
            given.text("priority", expected: "high or normal") { TaskOptions.Priority(rawValue: $0) } ?? .high
        let expected = "a time of 0s to 28d, such as 30m, 12h or 7d"
        if let time = given.text("time_to_live", expected: expected, convert: NativeTaskForm.timeToLive) {
            options.timeToLive = time
        }
        options.ambiguity =
            given.text("ambiguous", expected: "at_least_once or at_most_once") {
                TaskOptions.Ambiguity(rawValue: $0)
            } ?? .atLeastOnce
        given.rejectUnknown()
        return options
    }

    private static func timeToLive(_ text: String) -> Duration? {
        DurationText.parse(text).flatMap { TaskLimits.timeToLive ~= $0 ? $0 : nil }
    }
}
