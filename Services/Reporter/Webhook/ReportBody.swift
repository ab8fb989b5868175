import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// A report in the words of the dialect in which its task came.
struct ReportBody {
    let bytes: [UInt8]

    /// `task` is what was accepted; nil where it is lost.
    init(_ report: TaskReport, task: PushTask?, identifier: String?) {
        switch report.dialect {
        case .richie:
            bytes = ReportBody.richie(report, reported: task?.reported ?? JSONObject(), identifier: identifier)
        case .native, .pushd: bytes = report.encoded()
        }
    }

    /// Richie's delivery analytics: these names and no others, in its own order. What was suppressed or cancelled was
    /// never tried, and is neither a success nor a failure.
    private static func richie(_ report: TaskReport, reported: JSONObject, identifier: String?) -> [UInt8] {
        let failures = report[.failed] + report[.invalid] + report[.expired] + report[.unknown]
        let body = JSONObject([
            ("app_id", reported["app_id"] ?? .string(identifier ?? report.app.text)),
            ("completion_time_ms", .integer(report.completionTime?.wholeMilliseconds ?? 0)),
            ("deletions", .integer(Int64(report[.invalidRemoved]))),
            ("failures", .integer(Int64(failures))),
            ("payloads", reported["payloads"] ?? .object(JSONObject())),
            ("successes", .integer(Int64(report[.delivered]))),
            ("topics", reported["topics"] ?? .array([])),
        ])
        return JSON.object(body).compactBytes
    }
}
