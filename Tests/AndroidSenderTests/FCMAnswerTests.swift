import ProviderKit
import ServiceKit
import TestSupport
import Testing

@testable import AndroidSender
@testable import HTTP2

/// Every row of FCM's error table, decoded from answers in Google's format.
@Suite struct FCMAnswerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        var retryAfter: String?
        let verdict: ProviderAnswer.Verdict
        var reason: String?
        var mayBeProcessed = false

        var testDescription: String { "\(status) \(body.prefix(90)) \(retryAfter ?? "")" }
    }

    static let rows = [
        Row(status: 200, body: #"{"name":"projects/p/messages/1"}"#, verdict: .delivered, reason: ""),
        Row(
            status: 404, body: error("NOT_FOUND", code: "UNREGISTERED"), verdict: .invalidDevice(since: nil),
            reason: "UNREGISTERED"),
        Row(status: 404, body: error("NOT_FOUND"), verdict: .misconfigured, reason: "NOT_FOUND"),
        Row(status: 404, body: "<html>Not Found</html>", verdict: .misconfigured),
        // From an intermediary between Google and the sender.
        Row(status: 302, body: "", verdict: .retryLater(after(10)), mayBeProcessed: true),
        Row(
            status: 400, body: error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT"), verdict: .invalidDevice(since: nil)),
        Row(
            status: 400, body: error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT", detail: badRequest("message.token")),
            verdict: .invalidDevice(since: nil)),
        Row(
            status: 400,
            body: error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT", detail: badRequest("message.data[0].value")),
            verdict: .payloadRejected),
        Row(
            status: 400, body: error("INVALID_ARGUMENT", code: nil, detail: badRequest("message")),
            verdict: .payloadRejected),
        Row(status: 400, body: error("INVALID_ARGUMENT"), verdict: .payloadRejected),
        Row(
            status: 400, body: error("X", code: "UNSPECIFIED_ERROR"), verdict: .payloadRejected,
            reason: "UNSPECIFIED_ERROR"),
        Row(
            status: 403, body: error("PERMISSION_DENIED", code: "SENDER_ID_MISMATCH"),
            verdict: .invalidDevice(since: nil)),
        Row(status: 403, body: error("PERMISSION_DENIED"), verdict: .misconfigured),
        Row(status: 401, body: error("UNAUTHENTICATED"), verdict: .refreshAuthorization),
        Row(status: 401, body: error("UNAUTHENTICATED", code: "THIRD_PARTY_AUTH_ERROR"), verdict: .misconfigured),
        Row(status: 401, body: error("UNAUTHENTICATED", code: "APNS_AUTH_ERROR"), verdict: .misconfigured),
        Row(
            status: 429, body: error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED"), verdict: .throttled(.app, after(60))
        ),
        Row(
            status: 429, body: error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED"), retryAfter: "7",
            verdict: .throttled(.app, after(7))),
        Row(
            status: 429, body: error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", detail: quota("project:1")),
            retryAfter: "Thu, 01 Jan 2026 00:00:30 GMT", verdict: .throttled(.app, after(30))),
        Row(
            status: 429, body: error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", detail: quota("device:1")),
            verdict: .throttled(.device, after(60))),
        Row(
            status: 500, body: error("INTERNAL", code: "INTERNAL"), verdict: .retryLater(after(10)),
            mayBeProcessed: true),
        Row(status: 503, body: error("UNAVAILABLE", code: "UNAVAILABLE"), verdict: .retryLater(after(10))),
        Row(
            status: 503, body: error("UNAVAILABLE", code: "UNAVAILABLE"), retryAfter: "120",
            verdict: .retryLater(RetryAdvice(floor: .seconds(120), isAsked: true))),
        Row(status: 502, body: "<html>", verdict: .retryLater(after(10)), mayBeProcessed: true),
        Row(status: 503, body: "<html>", verdict: .retryLater(after(10)), mayBeProcessed: true),
        Row(status: 504, body: "", verdict: .retryLater(after(10)), mayBeProcessed: true),
        Row(status: 413, body: "", verdict: .payloadRejected),
    ]

    @Test(arguments: rows) func meansWhatTheTableSays(_ row: Row) {
        let answer = read(row.status, body: row.body, retryAfter: row.retryAfter)
        #expect(answer.verdict == row.verdict)
        #expect(answer.status == UInt16(row.status))
        #expect(answer.mayBeProcessed == row.mayBeProcessed)
        if let reason = row.reason { #expect(answer.reason == reason) }
    }

    /// Only Google's own error detail about a device may cause its removal.
    @Test(arguments: [
        "", "{", "null", "[]", "7", #"{"error":7}"#, #"{"error":{"details":7}}"#, #"{"error":{"details":[7,null,[]]}}"#,
        #"{"error":{"status":7,"details":[{"@type":7,"errorCode":"UNREGISTERED"}]}}"#,
        #"{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}"#, #"{"error":{"status":"UNREGISTERED"}}"#,
        #"{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":"x"}]}}"#,
        String(repeating: "[", count: 60_000), "\u{0}\u{FFFD}",
    ]) func hostileBodiesNeitherTrapNorUnregister(_ body: String) {
        for status in [-1, 0, 204, 301, 400, 401, 403, 404, 429, 500, 999_999] {
            let answer = read(status, body: body, retryAfter: "Mon, 99 Foo 2026")
            #expect(answer.verdict != .delivered)
            #expect(answer.verdict != .invalidDevice(since: nil))
        }
    }

    @Test func keepsReasonsShort() {
        let body = FCMAnswerTests.error("S", code: String(repeating: "LONG", count: 1_000))
        #expect(read(400, body: body, retryAfter: nil).reason.utf8.count <= 64)
    }

    private func read(_ status: Int, body: String, retryAfter: String?) -> ProviderAnswer {
        var headers = HTTP2Headers()
        if let retryAfter { headers.append("retry-after", retryAfter) }
        let response = HTTP2Response(status: status, headers: headers, body: Array(body.utf8), isTruncated: false)
        return FCMAnswer.read(response, now: ManualTimeSource().now)
    }

    private static func error(_ status: String, code: String? = nil, detail: String? = nil) -> String {
        let own = code.map { #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#($0)"}"# }
        let details = [detail, own].compactMap { $0 }.joined(separator: ",")
        return #"{"error":{"code":1,"message":"m","status":"\#(status)","details":[\#(details)]}}"#
    }

    private static func badRequest(_ field: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#
    }

    private static func quota(_ subject: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#(subject)"}]}"#
    }

    private static func after(_ seconds: Int) -> RetryAdvice { RetryAdvice(floor: .seconds(seconds)) }
}
