import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// A report in the dialect in which its task was accepted.
struct ReportBody {
    let bytes: [UInt8]

    /// `task` is the accepted task; nil if it is lost.
    init(_ report: TaskReport, task: PushTask?, identifier: String?) {
        switch report.dialect {
        case .richie:
            bytes = ReportBody.richie(report, reported: task?.reported ?? JSONObject(), identifier: identifier)
        case .native, .pushd, .appmetrica, .pushwoosh, .contextpush: bytes = report.encoded()
        }
    }

    /// Richie's delivery analytics: exactly these names, in its own order. Suppressed and cancelled devices were never
    /// tried, and are neither successes nor failures.
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
