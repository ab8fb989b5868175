import JSONKit
package import PushModel
package import ServiceKit

/// The report of a closed task, for analysts and publishers: JSON, versioned. A repeat has the same id.
package struct TaskReport: TopicMessage, Hashable {
    package static let version = 1
    /// Maximum count of one state. No registry has more devices, and the sum of all states must fit its type.
    private static let countMaximum = Int64(1) << 48
    private static let states = DeliveryState.allCases.filter(\.isTerminal)

    package let task: TaskID
    package let app: AppID
    package let dialect: TaskDialect
    /// Nil if the accepted task is no longer stored.
    package let created: Timestamp?
    package let closed: Timestamp
    package let isCancelled: Bool
    package let lane: Lane
    private let counts: [Int]

    /// Counts only terminal states: a closed task has no others.
    package init(
        task: TaskID, app: AppID, dialect: TaskDialect, created: Timestamp?, closed: Timestamp, isCancelled: Bool,
        lane: Lane, count: (DeliveryState) -> Int
    ) {
        self.task = task
        self.app = app
        self.dialect = dialect
        self.created = created
        self.closed = closed
        self.isCancelled = isCancelled
        self.lane = lane
        counts = TaskReport.states.map(count)
    }

    package var id: String { "\(task)/report" }
    package var event: CloudEvent? {
        CloudEvent(
            id: id, of: "reports", version: TaskReport.version, app: app, subject: "\(task)", time: closed)
    }
    package var targeted: Int { counts.reduce(0, +) }
    /// Nil if the start is unknown. A clock that was set back makes it zero.
    package var completionTime: Duration? { created.map { max(.zero, closed - $0) } }

    package subscript(state: DeliveryState) -> Int {
        TaskReport.states.firstIndex(of: state).map { counts[$0] } ?? 0
    }

    package func encoded() -> [UInt8] {
        let sums = JSONText.object { json in
            json.member("targeted", targeted)
            for (state, count) in zip(TaskReport.states, counts) { json.member(state.name, count) }
        }
        let text = JSONText.object { json in
            json.member("version", TaskReport.version)
            json.member("id", id)
            json.member("task", "\(task)")
            json.member("app", app.text)
            json.member("dialect", dialect.rawValue)
            json.member("created", json: created.map { JSONText.quoted("\($0)") } ?? "null")
            json.member("closed", "\(closed)")
            json.member("completion_time_ms", json: completionTime.map { "\($0.wholeMilliseconds)" } ?? "null")
            json.member("cancelled", isCancelled)
            json.member("lane", lane.rawValue)
            json.member("counts", json: sums)
        }
        return Array(text.utf8)
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
            task: task, app: app, dialect: dialect, created: json.value("created", convert: Timestamp.init(rfc3339:)),
            closed: closed, isCancelled: isCancelled, lane: lane,
            count: { state in
                guard case .integer(let count) = sums[state.name] else { return 0 }
                return Int(clamping: min(max(count, 0), TaskReport.countMaximum))
            })
    }
}
