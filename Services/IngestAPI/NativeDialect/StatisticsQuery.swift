import HTTPServer
import PushModel
import ServiceKit
import Store
import TaskModel

/// Query parameters of a request for statistics.
struct StatisticsQuery {
    static let parameters = ["by", "name", "from", "to", "interval"]
    static let hoursMaximum = Duration.seconds(31 * 86_400)
    static let daysMaximum = Duration.seconds(400 * 86_400)
    static let rowsMaximum = 10_000
    /// Without `from`.
    private static let span = Duration.seconds(7 * 86_400)
    /// The times that can be asked for.
    private static let times = Timestamp(milliseconds: 0)...Timestamp(milliseconds: 4_102_444_800_000)

    let by: String
    /// Of the label.
    let name: String?
    let dimension: StatisticsDimension
    let interval: StatisticsInterval
    let from: Timestamp
    let to: Timestamp

    init(_ request: HTTPRequest, at now: Timestamp) throws(TaskError) {
        by = request.queryValue("by") ?? "total"
        name = request.queryValue("name")
        dimension = try StatisticsQuery.dimension(by, name: name)
        switch request.queryValue("interval") {
        case nil, "day": interval = .day
        case "hour": interval = .hour
        default: throw TaskError.invalidField("interval", message: "expected hour or day")
        }
        // The end of the period that is under way.
        let end = interval.start(of: now) + interval.length
        to = try StatisticsQuery.time("to", in: request) ?? end
        from =
            try StatisticsQuery.time("from", in: request)
            ?? max(StatisticsQuery.times.lowerBound, interval.start(of: to + (.zero - StatisticsQuery.span)))
        guard from < to else { throw TaskError.invalidField("from", message: "expected a time before to, \(to)") }
        let longest = interval == .day ? StatisticsQuery.daysMaximum : StatisticsQuery.hoursMaximum
        guard to - from <= longest else {
            throw TaskError.invalidField(
                "from",
                message: interval == .day
                    ? "expected at most 400 days before to, \(to); ask for the rest separately"
                    : "expected at most 31 days before to, \(to); ask for interval=day, or for the rest separately")
        }
    }

    func selection(of app: AppID) -> StatisticsSelection {
        StatisticsSelection(
            of: app, by: dimension, interval: interval, from: from, to: to, rowsMaximum: StatisticsQuery.rowsMaximum)
    }

    private static func dimension(_ by: String, name: String?) throws(TaskError) -> StatisticsDimension {
        if by == "label" {
            guard let name, TaskLabels.isName(name) else {
                throw TaskError.invalidField("name", message: "expected the name of a label: \(TaskLabels.nameRule)")
            }
            return .label(name: name)
        }
        guard name == nil else { throw TaskError.invalidField("name", message: "only for by=label; remove it") }
        switch by {
        case "total": return .total
        case "topic": return .topic
        case "dialect": return .dialect
        case "platform": return .platform
        case "cohort": return .cohort
        default:
            throw TaskError.invalidField("by", message: "expected total, label, topic, dialect, platform or cohort")
        }
    }

    static func time(_ name: String, in request: HTTPRequest) throws(TaskError) -> Timestamp? {
        guard let text = request.queryValue(name) else { return nil }
        guard let time = Timestamp(rfc3339: text), times.contains(time) else {
            throw TaskError.invalidField(name, message: "expected a time with a zone, such as 2026-12-24T18:00:00Z")
        }
        return time
    }
}
