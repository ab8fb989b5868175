package import JSONKit
package import PushModel

/// What tokens and channels of a Live Activity get.
package struct ActivityContent: Sendable, Equatable {
    package let activity: ActivityID
    package let event: ActivityEvent
    /// Of an activity that is started.
    package var type: ActivityType?
    /// The sender knows the channel, if there is one. Phones with an older system get tokens.
    package var feed = ActivityBase.Feed.tokens
    /// Seconds since 1970: phones keep the state with the largest one. 0 before the state is decided.
    package var timestamp: Int64 = 0
    /// The members of `aps` other than event, timestamp and feed. Nil for a state that is decided when it is sent.
    package var members: JSONObject?

    package init(_ event: ActivityEvent, of activity: ActivityID) {
        self.event = event
        self.activity = activity
    }
}

extension ActivityContent {
    package var json: JSON {
        var object = JSONObject([
            ("activity", .string(activity.text)), ("event", .string(event.rawValue)),
            ("timestamp", .integer(timestamp)),
        ])
        object["type"] = type.map { .string($0.text) }
        if feed != .tokens { object["feed"] = .string(feed.rawValue) }
        object["members"] = members.map { .object($0) }
        return .object(object)
    }

    /// Nil if invalid; errors are added to the problems of the fields.
    package init?(_ fields: JSONFields) {
        let activity = fields.text("activity", expected: ActivityID.rule, isRequired: true) { try? ActivityID($0) }
        let event = fields.text("event", expected: "an event", isRequired: true) { ActivityEvent(rawValue: $0) }
        guard let activity, let event else { return nil }
        self.init(event, of: activity)
        type = fields.text("type", expected: ActivityType.rule) { try? ActivityType($0) }
        feed = fields.text("feed", expected: "a feed") { ActivityBase.Feed(rawValue: $0) } ?? .tokens
        timestamp = fields.integer("timestamp", in: 0...1 << 40).map(Int64.init) ?? 0
        members = fields.value("members", expected: "an object") { $0.object }
    }
}
