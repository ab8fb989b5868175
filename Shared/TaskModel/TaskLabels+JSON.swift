package import JSONKit
import ServiceKit

/// Format of labels in requests, tasks and reports: an object of strings.
extension TaskLabels {
    package var json: JSON {
        .object(JSONObject(all.map { ($0.name, .string($0.value)) }))
    }

    /// Reads the member `labels`. Errors are added to the problems of the fields.
    package init(in fields: JSONFields) {
        self.init()
        guard let given = fields.value("labels", expected: TaskLabels.countRule, convert: { $0.object }) else { return }
        let members = given.members.filter { $0.value != .null }
        guard members.count <= TaskLabels.countMaximum else {
            fields.reject("labels", message: "has \(members.count) labels (maximum \(TaskLabels.countMaximum))")
            return
        }
        for (name, value) in members {
            let path = "labels.\(OutsideText.excerpt(name))"
            guard TaskLabels.isName(name) else {
                fields.reject(path, message: "expected a name of \(TaskLabels.nameRule)")
                continue
            }
            guard let text = value.text, TaskLabels.isValue(text) else {
                fields.reject(path, message: "expected a string of \(TaskLabels.valueRule)")
                continue
            }
            self[name] = text
        }
    }
}
