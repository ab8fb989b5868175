package import JSONKit
package import PushModel

/// A state of a Live Activity, or its end with the last one.
package struct ActivityState: Sendable, Equatable {
    /// Of the request that gave it, so that no two publications send one state.
    package let stamp: TaskID
    /// In the form of the app's `ContentState`.
    package var contentState: JSONObject
    /// Seconds since 1970; from then on the phone shows the activity as out of date.
    package var staleDate: Int64?
    /// Of an end: seconds since 1970 at which the phone removes the activity from the screen.
    package var dismissalDate: Int64?
    package var relevance: Double?
    /// In Apple's form: an object with a title and a body. It lights up the screen.
    package var alert: JSONObject?
    /// True if it was asked to be shown at once, which counts against the app's hourly budget.
    package var isUrgent = false

    package init(stamp: TaskID, contentState: JSONObject) {
        self.stamp = stamp
        self.contentState = contentState
    }

    /// The members of `aps`, without event and timestamp.
    package var members: JSONObject {
        var members = JSONObject([("content-state", .object(contentState))])
        members["stale-date"] = staleDate.map { .integer($0) }
        members["dismissal-date"] = dismissalDate.map { .integer($0) }
        members["relevance-score"] = relevance.map { .number($0) }
        members["alert"] = alert.map { .object($0) }
        return members
    }

    package var encoded: [UInt8] {
        var object = members
        object["stamp"] = .string("\(stamp)")
        if isUrgent { object["urgent"] = .bool(true) }
        return JSON.object(object).compactBytes
    }

    /// Nil if the bytes are no such state.
    package init?(decoding bytes: [UInt8]) {
        guard let json = try? JSON(bytes) else { return nil }
        let fields = JSONFields(json, problems: JSONProblems())
        let stamp = fields.text("stamp", expected: "a UUID", isRequired: true) { TaskID($0) }
        let contentState = fields.value("content-state", expected: "an object") { $0.object }
        guard let stamp, let contentState else { return nil }
        self.init(stamp: stamp, contentState: contentState)
        staleDate = fields.seconds("stale-date")
        dismissalDate = fields.seconds("dismissal-date")
        relevance = fields.number("relevance-score", in: ActivityState.relevances, expected: "a number")
        alert = fields.value("alert", expected: "an object") { $0.object }
        isUrgent = fields.bool("urgent") ?? false
        guard fields.problems.all.isEmpty else { return nil }
    }
}

extension JSONFields {
    /// A time in seconds since 1970.
    package func seconds(_ name: String) -> Int64? {
        integer(name, in: 0...ActivityState.secondsMaximum).map(Int64.init)
    }
}

extension ActivityState {
    /// In the year 36812; a time in milliseconds that was taken for seconds is above it.
    package static let secondsMaximum = 1 << 40
    /// Apple compares them with those of the app's other activities.
    package static let relevances = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
}
