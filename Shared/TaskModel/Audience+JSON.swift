package import JSONKit
package import PushModel

extension Audience {
    /// Format of publishers: `{"all":true}`, `{"topic":"news"}`, `{"any":[…]}`, `{"all_of":[…]}`, `{"not":…}`, and the
    /// filters.
    package var json: JSON {
        switch self {
        case .everyone: .object(JSONObject([("all", .bool(true))]))
        case .topic(let topic): .object(JSONObject([("topic", .string(topic.text))]))
        case .filter(let filter): .object(JSONObject([(filter.name, filter.json)]))
        case .saved(let name): .object(JSONObject([("audience", .string(name.text))]))
        case .not(let inner): .object(JSONObject([("not", inner.json)]))
        case .all(let parts): .object(JSONObject([("all_of", .array(parts.map(\.json)))]))
        case .any(let parts): .object(JSONObject([("any", .array(parts.map(\.json)))]))
        }
    }

    private static let names = ["all", "topic", "not", "all_of", "any", "audience"] + DeviceFilter.names

    /// Nil if invalid; errors are added to the problems of the fields.
    package init?(_ fields: JSONFields) {
        fields.allow(Audience.names)
        let present = Audience.names.filter { fields.has($0) }
        fields.rejectUnknown()
        guard present.count == 1 else {
            // An unknown name is already reported, and is most likely the missing one misspelt.
            if present.count > 1 || fields.unknownNames.isEmpty {
                let names = Audience.names.joined(separator: ", ")
                fields.problems.add(fields.path, message: "expected exactly one of \(names)")
            }
            return nil
        }
        guard let audience = Audience.read(present[0], fields: fields) else { return nil }
        self = audience
    }

    private static func read(_ name: String, fields: JSONFields) -> Audience? {
        switch name {
        case "all": everyone(fields)
        case "topic": topic(fields)
        case "not": not(fields)
        case "all_of": parts(name, fields: fields).map { .all($0) }
        case "any": parts(name, fields: fields).map { .any($0) }
        case "audience":
            fields.text(name, expected: "the name of a saved audience: \(AudienceName.rule)") {
                try? AudienceName($0)
            }.map { .saved($0) }
        default: DeviceFilter(fields, named: name).map { .filter($0) }
        }
    }

    private static func everyone(_ fields: JSONFields) -> Audience? {
        guard let isEveryone = fields.bool("all") else { return nil }
        if !isEveryone { fields.reject("all", message: "expected true") }
        return isEveryone ? .everyone : nil
    }

    private static func topic(_ fields: JSONFields) -> Audience? {
        fields.text("topic", expected: "a topic of \(TopicName.rule)") {
            try? TopicName($0)
        }.map { .topic($0) }
    }

    private static func not(_ fields: JSONFields) -> Audience? {
        fields.object("not").flatMap { Audience($0) }.map { .not($0) }
    }

    private static func parts(_ name: String, fields: JSONFields) -> [Audience]? {
        let elements = fields.elements(name, countMinimum: 1, countMaximum: Audience.partsMaximum)
        let parts = elements.compactMap { $0.fields.flatMap { Audience($0) } }
        return parts.isEmpty || parts.count < elements.count ? nil : parts
    }
}
