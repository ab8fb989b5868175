import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing

/// Goal: the schemas in `docs/asyncapi.yaml` have every field of a task, also one that is added later. Method: the
/// stored properties are read by reflection. That examples are read, and written as they are, is tested with the
/// topics.
@Suite struct TaskContractTests {
    /// Members by schema and property, where the name differs; nil for a property that is no member.
    private static let exceptions: [String: String?] = [
        "DeliveryRules.accepted": nil, "Options.collapseID": "collapse_id",
        "Content.hasPlainAppleAlert": "plain_apple_alert", "Message.isSilent": "silent",
        "Task.isWithdrawn": "withdrawn", "Task.hasListedContents": "listed_contents",
        "Options.timeToLive": "time_to_live_ms", "Message.apple": "ios", "AndroidFields.importance": "priority",
        "AndroidFields.priority": "urgency", "AndroidFields.collapseID": "collapse_id",
        "AppleFields.isMutable": "mutable_content", "AppleFields.interruption": "interruption_level",
        "AppleFields.collapseID": "collapse_id",
    ]

    @Test func everyFieldHasASchema() throws {
        let rules = DeliveryRules(accepted: Timestamp(milliseconds: 0))
        let task = PushTask(id: TaskID(high: 1, low: 2), app: try AppID("news"), created: rules.accepted)
        let values: [(schema: String, value: Any)] = [
            ("Task", task), ("DeliveryRules", rules), ("Content", task.content), ("Options", task.options),
            ("Message", PushMessage()), ("AndroidFields", AndroidFields()), ("AppleFields", AppleFields()),
        ]
        for (schema, value) in values {
            let stored = Mirror(reflecting: value).children.compactMap(\.label)
            #expect(!stored.isEmpty)
            let expected = Set(stored.compactMap { TaskContractTests.member($0, of: schema) })
            let missing = expected.subtracting(try members(of: schema))
            #expect(missing.isEmpty, "docs/asyncapi.yaml: \(schema)")
        }
    }

    private static func member(_ property: String, of schema: String) -> String? {
        exceptions["\(schema).\(property)"]
            ?? property.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" }
    }

    /// The names of its properties, which are eight columns in; the next schema is four.
    private func members(of schema: String) throws -> Set<String> {
        let lines = try #require(SourceTree.text("docs/asyncapi.yaml")).split(separator: "\n")
        let schemas = lines.drop { $0 != "  schemas:" }
        let own = schemas.drop { $0 != "    \(schema):" }.dropFirst().prefix { $0.hasPrefix("     ") }
        let properties = own.drop { $0 != "      properties:" }.filter { $0.hasPrefix("        ") }
        return Set(
            properties.filter { !$0.dropFirst(8).hasPrefix(" ") }.map { String($0.dropFirst(8).prefix { $0 != ":" }) })
    }
}
