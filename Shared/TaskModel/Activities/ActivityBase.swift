package import JSONKit
package import PushModel

/// What stays of a Live Activity: where it came from, and what its pushes need.
package struct ActivityBase: Sendable, Equatable {
    /// How its phones get their updates.
    package enum Feed: String, Sendable {
        /// A token of its own for each phone, which its app reports.
        case tokens
        /// A channel of Apple for all phones that know channels.
        case channel
    }

    /// The request that told phones to start it.
    package struct Start: Sendable, Equatable {
        /// Of its task.
        package let stamp: TaskID
        /// Seconds since 1970, of the state that its task sends.
        package let timestamp: Int64

        package init(stamp: TaskID, timestamp: Int64) {
            self.stamp = stamp
            self.timestamp = timestamp
        }
    }

    /// Nil for one that an app started on its own, and whose token it reported.
    package var type: ActivityType?
    package var attributes = JSONObject()
    /// True if phones were told to start it.
    package var isStarted = false
    /// Nil also for one that an earlier version has stored.
    package var start: Start?
    /// False until all that belongs to its start is stored: nothing updates it before.
    package var isBegun = true
    package var dialect = TaskDialect.native
    package var feed = Feed.tokens
    /// Apple's ids of its channels, once there are any: each of Apple's environments has channels of its own.
    package var channels: [Device.Environment: String] = [:]
    /// The devices that were told to start it. Those that no activity can be started on get its states as data, if it is
    /// mirrored.
    package var audience: Audience?
    package var entries: [TargetEntry] = []
    package var isMirrored = false

    package init() {}

    package var encoded: [UInt8] {
        var object = JSONObject([
            ("dialect", .string(dialect.rawValue)), ("started", .bool(isStarted)), ("feed", .string(feed.rawValue)),
        ])
        object["start"] = start.map { .string("\($0.stamp)") }
        object["start_timestamp"] = start.map { .integer($0.timestamp) }
        if !isBegun { object["begun"] = .bool(false) }
        object["type"] = type.map { .string($0.text) }
        if !attributes.members.isEmpty { object["attributes"] = .object(attributes) }
        for (environment, channel) in channels { object[ActivityBase.field(environment)] = .string(channel) }
        if isMirrored { object["mirror"] = .bool(true) }
        object["audience"] = audience?.json
        if !entries.isEmpty { object["entries"] = .array(entries.map(\.json)) }
        return JSON.object(object).compactBytes
    }

    /// Nil if the bytes are no such base.
    package init?(decoding bytes: [UInt8]) {
        guard let json = try? JSON(bytes) else { return nil }
        let fields = JSONFields(json, problems: JSONProblems())
        dialect = fields.text("dialect", expected: "a dialect") { TaskDialect(rawValue: $0) } ?? .native
        isStarted = fields.bool("started") ?? false
        let stamp = fields.text("start", expected: "a UUID") { TaskID($0) }
        let timestamp = fields.seconds("start_timestamp")
        if let stamp, let timestamp { start = Start(stamp: stamp, timestamp: timestamp) }
        isBegun = fields.bool("begun") ?? true
        feed = fields.text("feed", expected: "a feed") { Feed(rawValue: $0) } ?? .tokens
        type = fields.text("type", expected: ActivityType.rule) { try? ActivityType($0) }
        attributes = fields.value("attributes", expected: "an object") { $0.object } ?? JSONObject()
        for environment in Device.Environment.allCases {
            channels[environment] = fields.text(ActivityBase.field(environment), expected: "a channel") { $0 }
        }
        isMirrored = fields.bool("mirror") ?? false
        audience = fields.object("audience").flatMap { Audience($0) }
        entries = fields.elements("entries", countMaximum: TargetList.atOnceMaximum).compactMap {
            $0.value(expected: "an entry") { TargetEntry($0) }
        }
        guard fields.problems.all.isEmpty else { return nil }
    }

    private static func field(_ environment: Device.Environment) -> String {
        switch environment {
        case .production: "channel"
        case .sandbox: "sandbox_channel"
        }
    }
}
