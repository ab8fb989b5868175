package import JSONKit
import PushModel
import ServiceKit

/// Format of the window in a task.
extension DeliveryWindow {
    package var json: JSON {
        var object = JSONObject([
            ("opens", .string("\(opens)")), ("ends", .string("\(ends)")), ("user", .string(user.value)),
            ("method", .string(method.rawValue)),
        ])
        if isCompared { object["compared"] = .bool(true) }
        return .object(object)
    }

    /// Nil if it is invalid; errors are added to the problems of the fields.
    package init?(_ fields: JSONFields) {
        let opens = fields.text("opens", expected: "a time", isRequired: true) { Timestamp(rfc3339: $0) }
        let ends = fields.text("ends", expected: "a time", isRequired: true) { Timestamp(rfc3339: $0) }
        let user = fields.text("user", expected: "a user", isRequired: true) { try? Alias(.externalUser, value: $0) }
        let method = fields.text("method", expected: "a method", isRequired: true) { Method(rawValue: $0) }
        let isCompared = fields.bool("compared") ?? false
        guard let opens, let ends, let user, let method else { return nil }
        self.init(from: opens, to: ends, user: user, method: method, isCompared: isCompared)
    }
}
