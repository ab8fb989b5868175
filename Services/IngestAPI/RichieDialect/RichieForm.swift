import Apps
import JSONKit
import PushModel
import TaskModel

/// A push task in Richie's API. Errors are added to the problems of the fields.
struct RichieForm {
    static let allUsers = "all_users"

    private let appID: String
    private let topics: [TopicName]
    private let audience: Audience?
    private let users: [Alias]
    private let payloads: RichiePayloads?

    /// `authorize` is called as soon as the topics are known, so that a caller without the scope is refused early.
    init(
        _ fields: JSONFields, appID: String, authorize: (Scope) throws(Gatekeeper.AccessError) -> Void
    ) throws(Gatekeeper.AccessError) {
        self.appID = appID
        // All names are allowed first, so that a misspelt name is detected before another is reported as missing.
        fields.allow(["app_id", "topics", "external_user_ids", "payloads"])
        let isComplete = fields.unknownNames.isEmpty
        topics = RichieForm.topics(fields)
        audience = RichieForm.audience(topics)
        if fields.problems.all.isEmpty { try authorize(Scope(toReach: audience)) }
        users = RichieForm.users(fields)
        payloads = fields.object("payloads", isRequired: isComplete).map { RichiePayloads($0) }
        let hasTopics = fields.has("topics")
        // Not if the cause is already reported: invalid topics, or a misspelt name.
        if hasTopics == fields.has("external_user_ids"), hasTopics ? audience != nil : isComplete {
            fields.problems.add("topics", message: "expected exactly one of topics and external_user_ids")
        }
        fields.rejectUnknown()
    }

    var warnings: [JSONProblems.Problem] { payloads?.warnings ?? [] }

    func draft(_ id: TaskID, defaults: AppDefaults) -> TaskDraft {
        var draft = TaskDraft()
        draft.dialect = .richie
        draft.audience = audience
        draft.entries = users.map { .alias($0) }
        draft.content.payloads = payloads?.sent(id) ?? [:]
        draft.options.timeToLive = defaults.timeToLive
        draft.reported["app_id"] = .string(appID)
        draft.reported["payloads"] = payloads.map { .object($0.reported(id)) }
        if !topics.isEmpty { draft.reported["topics"] = .array(topics.map { .string($0.text) }) }
        return draft
    }

    private static func audience(_ topics: [TopicName]) -> Audience? {
        guard !topics.isEmpty else { return nil }
        if topics.contains(where: { $0.text == allUsers }) { return .everyone }
        return topics.count == 1 ? .topic(topics[0]) : .any(topics.map { .topic($0) })
    }

    private static func topics(_ fields: JSONFields) -> [TopicName] {
        fields.elements("topics", countMinimum: 1, countMaximum: Audience.topicsMaximum).compactMap { element in
            element.text(expected: "a topic of \(TopicName.rule)") { try? TopicName($0) }
        }
    }

    private static func users(_ fields: JSONFields) -> [Alias] {
        let elements = fields.elements("external_user_ids", countMinimum: 1, countMaximum: TaskLimits.entriesMaximum)
        return elements.compactMap { element in
            element.text(expected: "a string of 1 to \(Alias.bytesMaximum) bytes without control characters") {
                try? Alias(.externalUser, value: $0)
            }
        }
    }
}
