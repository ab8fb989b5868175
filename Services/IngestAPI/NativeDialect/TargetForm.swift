import JSONKit
import PushModel
import TaskModel

/// Whom a request of the native API addresses. Errors are added to the problems of the fields.
struct TargetForm {
    static let names = ["audience", "users", "devices"]

    let fields: JSONFields
    var entriesMaximum = TaskLimits.entriesMaximum

    func audience() -> Audience? {
        guard let audience = fields.object("audience").flatMap({ Audience($0) }) else { return nil }
        do throws(InvalidValueError) {
            try audience.checkBounds()
        } catch {
            fields.reject("audience", message: error.description)
        }
        return audience
    }

    func users() -> [TargetEntry] {
        fields.elements("users", countMaximum: entriesMaximum).compactMap { element in
            element.text(expected: "a string of 1 to \(Alias.bytesMaximum) bytes without control characters") {
                (try? Alias(.externalUser, value: $0)).map { .alias($0) }
            }
        }
    }

    func devices() -> [TargetEntry] {
        fields.elements("devices", countMaximum: entriesMaximum).compactMap { element in
            element.text(expected: "a subscriber id as returned by its registration") {
                DeviceID($0).map { .device($0) }
            }
        }
    }

    /// Adds the problems of a target that addresses nothing.
    func checkIsAddressed(_ draft: TaskDraft) {
        if !TargetForm.names.contains(where: fields.has) {
            if fields.unknownNames.isEmpty {
                fields.problems.add("", message: "no target; expected audience, users or devices")
            }
        } else if draft.audience == nil, draft.entries.isEmpty, fields.problems.all.isEmpty {
            fields.problems.add("", message: "no target; users and devices are empty")
        }
    }
}
