import PushModel
import ServiceKit
import TaskModel
import Testing
import Topics

@Suite struct ReportMessagesTests {
    private static let created = Timestamp(milliseconds: 1_767_225_600_000)
    private static let task = TaskID(high: 1, low: 2)

    private static func details() throws -> ReportDetails {
        var details = ReportDetails()
        details.begins = Self.created + .seconds(-60)
        details.labels["campaign"] = "spring"
        details.topics = [try TopicName("news"), try TopicName("\"é\"")]
        details.platforms[.android] = OutcomeCounts { $0 == .delivered ? 400 : $0 == .expired ? 7 : 0 }
        details.platforms[.ios] = OutcomeCounts { $0 == .delivered ? 13_999 : 0 }
        return details
    }

    private static let reasons = {
        var reasons = ReasonCounts()
        reasons.add(3, of: ReasonCounts.Reason(.expired, status: 429, text: ""))
        reasons.add(14, of: ReasonCounts.Reason(.expired, status: 503, text: "\"Busy\""))
        return reasons
    }()

    private static func report(created: Timestamp?) throws -> TaskReport {
        TaskReport(
            task: task, app: try AppID("news"), dialect: .richie, created: created,
            closed: Self.created + .milliseconds(765), isCancelled: false, lane: .bulk, details: try details(),
            reasons: reasons, unmatched: 3,
            count: { state in state == .delivered ? 14_400 : state == .expired ? 17 : state == .claimed ? 5 : 0 })
    }

    @Test func aReportReadsAsAnalystsExpect() throws {
        let expected = """
            {"version":1,"id":"00000000-0000-0001-0000-000000000002/report",\
            "task":"00000000-0000-0001-0000-000000000002","app":"news","dialect":"richie",\
            "created":"2026-01-01T00:00:00.000Z","closed":"2026-01-01T00:00:00.765Z","completion_time_ms":765,\
            "cancelled":false,"lane":"bulk","counts":{"targeted":14417,"delivered":14400,"failed":0,"invalid":0,\
            "invalid_removed":0,"expired":17,"suppressed":0,"cancelled":0,"unknown":0},\
            "unmatched":3,"begins":"2025-12-31T23:59:00.000Z","labels":{"campaign":"spring"},"topics":["news","\\"é\\""],\
            "by_platform":{\
            "ios":{"targeted":13999,"delivered":13999,"failed":0,"invalid":0,"invalid_removed":0,"expired":0,\
            "suppressed":0,"cancelled":0,"unknown":0},\
            "android":{"targeted":407,"delivered":400,"failed":0,"invalid":0,"invalid_removed":0,"expired":7,\
            "suppressed":0,"cancelled":0,"unknown":0},\
            "unknown":{"targeted":11,"delivered":1,"failed":0,"invalid":0,"invalid_removed":0,"expired":10,\
            "suppressed":0,"cancelled":0,"unknown":0}},\
            "reasons":[{"outcome":"expired","status":503,"reason":"\\"Busy\\"","count":14},\
            {"outcome":"expired","status":429,"reason":"","count":3}]}
            """
        #expect(String(decoding: try Self.report(created: Self.created).encoded(), as: UTF8.self) == expected)
    }

    @Test func theKeyIsTheIdOfTheTask() throws {
        let key = try Self.report(created: nil).key
        #expect(String(decoding: key, as: UTF8.self) == "00000000-0000-0001-0000-000000000002")
    }

    @Test(arguments: [created, nil])
    func aReportIsReadBack(created: Timestamp?) throws {
        let report = try Self.report(created: created)
        #expect(try TaskReport(decoding: report.encoded()) == report)
    }

    /// Members are only added: a report of an earlier version has none of the later ones.
    @Test func aReportOfAnEarlierVersionIsRead() throws {
        let whole = String(decoding: try Self.report(created: Self.created).encoded(), as: UTF8.self)
        let start = try #require(whole.firstRange(of: ",\"unmatched\""))
        let report = try TaskReport(decoding: Array("\(whole[..<start.lowerBound])}".utf8))
        #expect(report.details == ReportDetails() && report.reasons == ReasonCounts())
        #expect(report[.delivered] == 14_400 && report.unmatched == 0)
        #expect(report.byPlatform.map(\.name) == ["unknown"] && report.byPlatform[0].counts == report.counts)
    }

    @Test(arguments: [created, nil, created + .seconds(-60)])
    func detailsAreReadBackFromATrace(created: Timestamp?) throws {
        let details = try Self.details()
        let packed = details.packed(created: created)
        #expect(ReportDetails(packed: packed, created: created) == details)
        let none = ReportDetails()
        #expect(ReportDetails(packed: none.packed(created: created), created: created) == none)
        #expect(ReportDetails(packed: [packed[0] ^ 0x70] + packed.dropFirst(), created: created) == nil)
        for count in 0..<packed.count - 1 {
            #expect(ReportDetails(packed: Array(packed.prefix(count)), created: created) != details)
        }
    }

    @Test(arguments: DeliveryWindow.Method.allCases)
    func theMethodOfAWindowIsReadBack(_ method: DeliveryWindow.Method) throws {
        var details = try Self.details()
        details.method = method
        let packed = details.packed(created: Self.created)
        #expect(ReportDetails(packed: packed, created: Self.created) == details)
        #expect(ReportDetails(packed: Array(packed.prefix(1)), created: Self.created) == nil)
        let report = TaskReport(
            task: Self.task, app: try AppID("news"), dialect: .native, created: Self.created, closed: Self.created,
            isCancelled: false, lane: .fast, details: details, count: { details.platforms[.ios]?[$0] ?? 0 })
        #expect(try TaskReport(decoding: report.encoded()).details.method == method)
    }

    /// The traces of a thousand single pushes a second must fit into memory.
    @Test func theDetailsOfASinglePushAreSmall() throws {
        var details = ReportDetails()
        details.begins = Self.created
        details.platforms[.ios] = OutcomeCounts { $0 == .delivered ? 1 : 0 }
        #expect(details.packed(created: Self.created).count == 5)
    }

    /// A platform with more devices than the task must not make the rest negative.
    @Test func aForgedBreakdownLeavesNothingOver() throws {
        let text = String(decoding: try Self.report(created: nil).encoded(), as: UTF8.self)
        let forged = text.replacing("\"delivered\":13999", with: "\"delivered\":\(Int64.max)")
        let report = try TaskReport(decoding: Array(forged.utf8))
        #expect(report.byPlatform.last?.counts[.delivered] == 0)
    }

    /// Their sum would overflow its type.
    @Test func countsThatNoRegistryHasAreCut() throws {
        let text = String(decoding: try Self.report(created: nil).encoded(), as: UTF8.self)
        let parts = text.split(separator: "14400")
        let forged = parts.joined(separator: "\(Int64.max)").replacing("\"failed\":0", with: "\"failed\":\(Int64.max)")
        let report = try TaskReport(decoding: Array(forged.utf8))
        #expect(report[.delivered] == 1 << 48 && report.targeted == (1 << 49) + 17)
        #expect(try TaskReport(decoding: report.encoded()) == report)
    }

    @Test func anEndlessListOfReasonsIsAddedUp() throws {
        let text = String(decoding: try Self.report(created: nil).encoded(), as: UTF8.self)
        let entries = (0..<3_000).map {
            "{\"outcome\":\"failed\",\"status\":\($0),\"reason\":\"no \($0)\",\"count\":1}"
        }
        let forged = text.replacing("\"reasons\":[", with: "\"reasons\":[\(entries.joined(separator: ",")),")
        let reasons = try TaskReport(decoding: Array(forged.utf8)).reasons
        #expect(reasons.counts.count <= ReasonCounts.reasonsMaximum + 2)
        #expect(reasons.counts.values.reduce(0, +) == 3_017)
        #expect(reasons.counts[ReasonCounts.Reason(.failed, status: 0, text: ReasonCounts.other)] == 2_968)
    }

    @Test func feedbackIsReadBack() throws {
        let device = DeviceID(index: DeviceIndex(rawValue: 5), tag: 9)
        let result = DeviceResult(
            device: device, provider: .fcm, state: .invalidRemoved, attempt: 1, status: 404, reason: "\"gone\"")
        let feedback = DeviceFeedback(
            result, cause: .invalid, of: Self.task, app: try AppID("news"), at: Self.created)
        let expected = """
            {"version":1,"id":"news/\(device)","app":"news","device":"\(device)","provider":"fcm","cause":"invalid",\
            "task":"\(Self.task)","status":404,"reason":"\\"gone\\"","time":"2026-01-01T00:00:00.000Z"}
            """
        #expect(String(decoding: feedback.encoded(), as: UTF8.self) == expected)
        #expect(try DeviceFeedback(decoding: feedback.encoded()) == feedback)
        #expect(feedback.key == Array("news:\(device)".utf8))
    }

    @Test func reportsAndFeedbackAreEventsUnderTheirIDs() throws {
        let report = try #require(try Self.report(created: Self.created).event)
        #expect(report.id == "\(Self.task)/report" && report.subject == "\(Self.task)")
        #expect(report.type == "carillon.reports.v1" && report.source == "/apps/news")
        #expect(report.time == Self.created + .milliseconds(765))
        let device = DeviceID(index: DeviceIndex(rawValue: 5), tag: 9)
        let result = DeviceResult(
            device: device, provider: .fcm, state: .invalidRemoved, attempt: 1, status: 404, reason: "")
        let feedback = try #require(
            DeviceFeedback(result, cause: .invalid, of: Self.task, app: try AppID("news"), at: Self.created).event)
        #expect(feedback.id == "news/\(device)" && feedback.subject == "\(device)")
        #expect(feedback.type == "carillon.feedback.v1" && feedback.source == "/apps/news")
        #expect(feedback.time == Self.created)
    }

    @Test func aPostIsReadBackWithItsBody() throws {
        let body = Array(#"{"successes":3,"payloads":{"ios":{"badge":1.5}},"topics":["é"]}"#.utf8)
        let post = ReportPost(task: Self.task, app: try AppID("news"), closed: Self.created, body: body)
        #expect(try ReportPost(decoding: post.encoded()) == post)
        #expect(post.id == "\(Self.task)/report")
    }

    @Test(arguments: ["", "{}", "[]", #"{"version":2}"#, #"{"version":1,"task":7}"#, "\u{0}"])
    func otherBytesAreRefused(text: String) {
        #expect(throws: MalformedMessageError.self) { try TaskReport(decoding: Array(text.utf8)) }
        #expect(throws: MalformedMessageError.self) { try ReportPost(decoding: Array(text.utf8)) }
        #expect(throws: MalformedMessageError.self) { try DeviceFeedback(decoding: Array(text.utf8)) }
    }
}
