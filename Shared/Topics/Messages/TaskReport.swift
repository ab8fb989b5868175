import JSONKit
package import PushModel
package import ServiceKit
import TaskModel

/// The report of a closed task, for analysts and publishers: JSON, versioned. A repeat has the same id.
package struct TaskReport: TopicMessage, Hashable {
    package static let version = 1
    /// Maximum count of one state or of entries. No registry has more devices, and the sum of all states must fit its type.
    private static let countMaximum = Int64(1) << 48
    /// Instead of a platform: devices that ended without a sender, or were counted by an earlier version.
    package static let unknownPlatform = "unknown"

    package let task: TaskID
    package let app: AppID
    package let dialect: TaskDialect
    /// Nil if the accepted task is no longer stored.
    package let created: Timestamp?
    package let closed: Timestamp
    package let isCancelled: Bool
    package let lane: Lane
    package let counts: OutcomeCounts
    /// Entries of the task's list that name no device of the app; zero without a list, and in reports of earlier versions.
    package let unmatched: Int
    /// Why devices were not delivered; empty in reports of earlier versions.
    package let reasons: ReasonCounts
    package let details: ReportDetails

    /// Counts only terminal states: a closed task has no others.
    package init(
        task: TaskID, app: AppID, dialect: TaskDialect, created: Timestamp?, closed: Timestamp, isCancelled: Bool,
        lane: Lane, details: ReportDetails = ReportDetails(), reasons: ReasonCounts = ReasonCounts(),
        unmatched: Int = 0, count: (DeliveryState) -> Int
    ) {
        self.task = task
        self.app = app
        self.dialect = dialect
        self.created = created
        self.closed = closed
        self.isCancelled = isCancelled
        self.lane = lane
        self.details = details
        self.reasons = reasons
        self.unmatched = unmatched
        counts = OutcomeCounts(count: count)
    }

    package var id: String { "\(task)/report" }
    package var key: [UInt8] { Array("\(task)".utf8) }
    package var event: CloudEvent? {
        CloudEvent(
            id: id, of: "reports", version: TaskReport.version, app: app, subject: "\(task)", time: closed)
    }
    package var targeted: Int { counts.targeted }
    /// Nil if the start is unknown. A clock that was set back makes it zero.
    package var completionTime: Duration? { created.map { max(.zero, closed - $0) } }

    package subscript(state: DeliveryState) -> Int { counts[state] }

    /// The counts by platform, which add up to those of the task: what is left over is `unknown`.
    package var byPlatform: [(name: String, counts: OutcomeCounts)] {
        let known = Platform.allCases.compactMap { platform in
            details.platforms[platform].map { (name: platform.rawValue, counts: $0) }
        }
        let rest = counts.without(known.map(\.counts))
        return (known + [(name: TaskReport.unknownPlatform, counts: rest)]).filter { $0.counts.targeted > 0 }
    }

    package func encoded() -> [UInt8] {
        let text = JSONText.object { json in
            json.member("version", TaskReport.version)
            json.member("id", id)
            json.member("task", "\(task)")
            json.member("app", app.owner.text)
            if app.isSpace { json.member("space", TaskReport.activities) }
            json.member("dialect", dialect.rawValue)
            json.member("created", json: created.map { JSONText.quoted("\($0)") } ?? "null")
            json.member("closed", "\(closed)")
            json.member("completion_time_ms", json: completionTime.map { "\($0.wholeMilliseconds)" } ?? "null")
            json.member("cancelled", isCancelled)
            json.member("lane", lane.rawValue)
            json.member("counts", object: { TaskReport.write(counts, to: &$0) })
            json.member("unmatched", unmatched)
            json.member("begins", json: details.begins.map { JSONText.quoted("\($0)") } ?? "null")
            json.member("labels", json: details.labels.json.compactText)
            json.member("topics", json: JSONText.array(details.topics.map(\.text)))
            if let method = details.method { json.member("method", method.rawValue) }
            json.member(
                "by_platform",
                object: { json in
                    for (name, counts) in byPlatform {
                        json.member(name, object: { TaskReport.write(counts, to: &$0) })
                    }
                })
            json.member("reasons", json: "[\(reasons.mostFrequent.map(TaskReport.text).joined(separator: ","))]")
        }
        return Array(text.utf8)
    }

    /// The value of `space` in the report of a task for tokens and channels of Live Activities.
    private static let activities = "activities"

    private static func write(_ counts: OutcomeCounts, to json: inout JSONText) {
        json.member("targeted", counts.targeted)
        for state in OutcomeCounts.states { json.member(state.name, counts[state]) }
    }

    private static func text(_ reason: ReasonCounts.Reason, count: Int) -> String {
        JSONText.object { json in
            json.member("outcome", reason.state.name)
            json.member("status", Int(reason.status))
            json.member("reason", reason.text)
            json.member("count", count)
        }
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "report")
        guard json.hasVersion(TaskReport.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            let app = json.value("app", convert: { try? AppID($0) }),
            let dialect = json.value("dialect", convert: TaskDialect.init(rawValue:)),
            let closed = json.value("closed", convert: Timestamp.init(rfc3339:)),
            let lane = json.value("lane", convert: Lane.init(rawValue:)),
            case .bool(let isCancelled) = json["cancelled"], let sums = json["counts"]
        else { throw MalformedMessageError("invalid report, or of an unknown version") }
        self.init(
            task: task, app: json["space"] == nil ? app : app.activities, dialect: dialect,
            created: json.value("created", convert: Timestamp.init(rfc3339:)),
            closed: closed, isCancelled: isCancelled, lane: lane, details: ReportDetails(json),
            reasons: TaskReport.reasons(in: json), unmatched: TaskReport.count("unmatched", in: json),
            count: { TaskReport.count($0.name, in: sums) })
    }

    private static func reasons(in report: JSON) -> ReasonCounts {
        var reasons = ReasonCounts()
        for entry in report["reasons"]?.elements ?? [] {
            guard let name = entry["outcome"]?.text, let text = entry["reason"]?.text,
                let state = OutcomeCounts.states.first(where: { $0.name == name })
            else { continue }
            let status = UInt16(clamping: count("status", in: entry))
            let reason = ReasonCounts.Reason(state, status: status, text: OutcomeReason.cut(text))
            reasons.add(count("count", in: entry), of: reason)
        }
        return reasons
    }

    fileprivate static func count(_ name: String, in sums: JSON) -> Int {
        guard case .integer(let count) = sums[name] else { return 0 }
        return Int(clamping: min(max(count, 0), TaskReport.countMaximum))
    }
}

extension ReportDetails {
    /// Reports of earlier versions have none of these members.
    fileprivate init(_ report: JSON) {
        begins = report.value("begins", convert: Timestamp.init(rfc3339:))
        labels = TaskLabels(in: JSONFields(report, problems: JSONProblems()))
        topics = (report["topics"]?.elements ?? []).prefix(Audience.topicsMaximum).compactMap { topic in
            topic.text.flatMap { try? TopicName($0) }
        }
        method = report.value("method", convert: DeliveryWindow.Method.init(rawValue:))
        for platform in Platform.allCases {
            guard let sums = report["by_platform"]?[platform.rawValue] else { continue }
            platforms[platform] = OutcomeCounts { TaskReport.count($0.name, in: sums) }
        }
    }
}
