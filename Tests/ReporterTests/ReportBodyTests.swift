import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

@Suite struct ReportBodyTests {
    private func report(_ counts: [DeliveryState: Int], dialect: TaskDialect = .richie) throws -> TaskReport {
        let created = Timestamp(milliseconds: 1_767_225_600_000)
        return TaskReport(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), dialect: dialect, created: created,
            closed: created + .milliseconds(765), isCancelled: false, lane: .bulk, count: { counts[$0] ?? 0 })
    }

    /// Goal: the body that Richie documents, byte for byte except for blanks. Method: the documented sample.
    @Test func itIsTheSampleOfTheDocument() throws {
        let payloads = """
            {"android":{"data":{"alert":{"body":"Push Notification Body Text for Android",\
            "external-browser-url":"https://example.com/news/article/1",\
            "title":"Push Notification Title for Android"},"task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"}},\
            "ios":{"aps":{"alert":{"body":"Push Notification Body Text for iOS","publisher-item-id":"100201",\
            "title":"Push Notification Title for iOS"},"content-available":1,\
            "task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"}}}
            """
        let sample = """
            {"app_id":"an-app","completion_time_ms":765,"deletions":0,"failures":17,"payloads":\(payloads),\
            "successes":14400,"topics":["all_users","food"]}
            """
        let report = try report([
            .delivered: 14_400, .failed: 8, .invalid: 4, .expired: 3, .unknown: 2, .suppressed: 5, .cancelled: 6,
        ])
        var task = PushTask(id: report.task, app: report.app, created: Timestamp(milliseconds: 0))
        task.reported = JSONObject([
            ("topics", .array([.string("all_users"), .string("food")])), ("payloads", try JSON(payloads)),
        ])
        let body = ReportBody(report, task: task, identifier: "an-app").bytes
        #expect(String(decoding: body, as: UTF8.self) == sample)
    }

    @Test func deletionsAreWhatWasRemoved() throws {
        let body = try JSON(ReportBody(try report([.invalidRemoved: 3]), task: nil, identifier: nil).bytes)
        #expect(body["deletions"] == .integer(3) && body["failures"] == .integer(0) && body["app_id"]?.text == "news")
        #expect(body["topics"] == .array([]) && body["payloads"] == .object(JSONObject()))
    }

    @Test(arguments: TaskDialect.allCases.filter { $0 != .richie })
    func otherTasksAreReportedAsTheyAreOnTheBus(dialect: TaskDialect) throws {
        let report = try report([.delivered: 1], dialect: dialect)
        #expect(ReportBody(report, task: nil, identifier: nil).bytes == report.encoded())
    }
}
