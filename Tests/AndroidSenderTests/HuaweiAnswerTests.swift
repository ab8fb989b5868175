import HTTPClient
import ProviderKit
import ServiceKit
import Testing

@testable import AndroidSender

/// Every row of Huawei's error table, decoded from answers in Huawei's format.
@Suite struct HuaweiAnswerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let code: String
        let verdict: ProviderAnswer.Verdict

        var testDescription: String { "\(status) \(code)" }
    }

    private static let overloaded = RetryAdvice(floor: .seconds(60))

    static let rows =
        [
            Row(status: 200, code: "80000000", verdict: .delivered),
            Row(status: 400, code: "80300007", verdict: .invalidDevice(since: nil)),
            Row(status: 400, code: "80200001", verdict: .refreshAuthorization),
            Row(status: 401, code: "80200003", verdict: .refreshAuthorization),
            Row(status: 401, code: "80200005", verdict: .refreshAuthorization),
            Row(status: 500, code: "80600003", verdict: .refreshAuthorization),
            Row(status: 400, code: "80300002", verdict: .misconfigured),
            Row(status: 400, code: "80300011", verdict: .misconfigured),
            Row(status: 400, code: "80300013", verdict: .misconfigured),
            Row(status: 400, code: "80100017", verdict: .throttled(.app, overloaded)),
            Row(status: 500, code: "81000001", verdict: .retryLater(.soon)),
            Row(status: 401, code: "", verdict: .refreshAuthorization),
            Row(status: 403, code: "", verdict: .misconfigured),
            Row(status: 404, code: "", verdict: .misconfigured),
            Row(status: 429, code: "", verdict: .throttled(.app, overloaded)),
            Row(status: 500, code: "", verdict: .retryLater(.soon)),
            Row(status: 502, code: "", verdict: .retryLater(.soon)),
            Row(status: 503, code: "", verdict: .throttled(.app, overloaded)),
            Row(status: 400, code: "", verdict: .payloadRejected),
            Row(status: 400, code: "89999999", verdict: .payloadRejected),
        ]
        + [
            "80100001", "80100003", "80100004", "80100013", "80100016", "80100018", "80300008", "80300010",
        ].map { Row(status: 400, code: $0, verdict: .payloadRejected) }

    @Test(arguments: rows) func meansWhatTheTableSays(_ row: Row) throws {
        let body = row.code.isEmpty ? "<html>" : #"{"code":"\#(row.code)","msg":"m","requestId":"1"}"#
        let report = try #require(HuaweiAnswer.report(response(row.status, body: body)))
        let answer = HuaweiErrorTable.answer(status: row.status, report, token: "a", retryAfter: nil)
        #expect(answer.verdict == row.verdict)
        #expect(answer.reason == row.code)
        #expect(answer.mayBeProcessed == (row.verdict == .retryLater(.soon)))
    }

    @Test func illegalTokensAreDeadAndTheOthersDelivered() throws {
        let body = #"{"code":"80100000","msg":"{\"success\":1,\"failure\":1,\"illegal_tokens\":[\"b\\\"c\"]}"}"#
        let report = try #require(HuaweiAnswer.report(response(200, body: body)))
        #expect(HuaweiErrorTable.answer(status: 200, report, token: "a", retryAfter: nil).verdict == .delivered)
        let dead = HuaweiErrorTable.answer(status: 200, report, token: #"b"c"#, retryAfter: nil)
        #expect(dead.verdict == .invalidDevice(since: nil))
    }

    /// A `Retry-After` in the answer overrides the default pause, for devices and for the app.
    @Test func anOverloadLastsAsLongAsHuaweiSays() {
        let answer = HuaweiErrorTable.answer(
            status: 503, HuaweiErrorTable.Report(), token: "a", retryAfter: .seconds(2))
        #expect(answer.verdict == .throttled(.app, RetryAdvice(floor: .seconds(2))))
    }

    /// An undecodable answer may mean success: the device is neither delivered nor dead.
    @Test(arguments: [
        "", "{", "[]", "null", #"{"code":null}"#, #"{"code":[]}"#, #"{"code":"80100000"}"#,
        #"{"code":"80100000","msg":7}"#, #"{"code":"80100000","msg":"x"}"#, #"{"code":"80100000","msg":"[]"}"#,
        #"{"code":"80100000","msg":"{\"illegal_tokens\":7}"}"#, String(repeating: "[", count: 100_000),
    ]) func unreadableAnswersLeaveTheOutcomeUnknown(_ body: String) {
        #expect(HuaweiAnswer.report(response(200, body: body)) == nil)
    }

    private func response(_ status: Int, body: String) -> HTTPClientResponse {
        HTTPClientResponse(status: status, body: Array(body.utf8))
    }
}
