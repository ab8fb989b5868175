import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Testing

@testable import HTTP2
@testable import WebSender

@Suite struct WebPushAnswerTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)
    private static let minute = RetryAdvice(floor: .seconds(60))
    private static let mozillaText = """
        {"code":401,"errno":109,"error":"Unauthorized","message":"VAPID public key mismatch","more_info":"http://a.b"}
        """
    private static let googleText = """
        the VAPID credentials in the authorization header do not correspond to the credentials used to create the \
        subscriptions.

        """

    struct Example: Sendable {
        let status: Int
        var body = ""
        var retryAfter: String?
        let verdict: ProviderAnswer.Verdict
        var reason = ""
    }

    @Test(arguments: [
        Example(status: 200, verdict: .delivered), Example(status: 201, verdict: .delivered),
        Example(status: 202, verdict: .delivered), Example(status: 204, verdict: .delivered),
        // Also with a body that would mean something else.
        Example(status: 201, body: #"{"reason":"VapidPkHashMismatch"}"#, verdict: .delivered),
        Example(status: 400, body: #"{"reason":"BadRequest"}"#, verdict: .payloadRejected, reason: "BadRequest"),
        Example(status: 401, body: "Unauthorized\n", verdict: .refreshAuthorization, reason: "Unauthorized"),
        Example(
            status: 401, body: mozillaText, verdict: .invalidDevice(since: nil), reason: "VAPID public key mismatch"),
        Example(
            status: 403, body: googleText, verdict: .invalidDevice(since: nil),
            reason: OutcomeReason.cut(googleText)),
        Example(
            status: 400, body: #"{"reason":"VapidPkHashMismatch"}"#, verdict: .invalidDevice(since: nil),
            reason: "VapidPkHashMismatch"),
        Example(status: 403, body: #"{"reason":"BadJwtToken"}"#, verdict: .refreshAuthorization, reason: "BadJwtToken"),
        Example(status: 404, verdict: .invalidDevice(since: nil)),
        Example(
            status: 410, body: "push subscription has unsubscribed or expired.\n", verdict: .invalidDevice(since: nil),
            reason: "push subscription has unsubscribed or expired."),
        Example(status: 413, verdict: .payloadRejected), Example(status: 429, verdict: .throttled(.device, minute)),
        Example(
            status: 429, retryAfter: "7",
            verdict: .throttled(.device, RetryAdvice(floor: .seconds(7), isAsked: true))),
        Example(status: 500, body: "<html>\n", verdict: .retryLater(.soon)),
        Example(
            status: 503, retryAfter: "30", verdict: .retryLater(RetryAdvice(floor: .seconds(30), isAsked: true))),
        // Answers that are not a push service's.
        Example(status: 301, verdict: .retryLater(.soon)), Example(status: 205, verdict: .retryLater(.soon)),
        Example(status: 418, body: "\u{7F}\u{0}", verdict: .payloadRejected, reason: "\u{7F}\u{0}"),
    ])
    func anAnswerHasItsVerdict(example: Example) {
        var headers = HTTP2Headers()
        if let wait = example.retryAfter { headers.append("retry-after", wait) }
        let body = Array(example.body.utf8)
        let pooled = WebPushAnswer.read(
            HTTP2Response(status: example.status, headers: headers, body: body, isTruncated: false), now: Self.now)
        #expect(pooled.verdict == example.verdict)
        #expect(pooled.reason == example.reason)
        #expect(Int(pooled.status) == example.status)
        let fields = headers.fields.map { HTTPClientRequest.Header($0.name, $0.value) }
        let single = WebPushAnswer.read(
            HTTPClientResponse(status: example.status, headers: fields, body: body), now: Self.now)
        #expect(single == pooled)
    }

    @Test(arguments: [
        [0xFF], [0x7B], Array("[]".utf8), Array(#"{"reason":5}"#.utf8), [UInt8](repeating: 0x7B, count: 9_999),
    ])
    func aBodyThatSaysNothingCountsForNothing(body: [UInt8]) {
        let answer = WebPushAnswer.read(HTTPClientResponse(status: 403, body: body), now: Self.now)
        #expect(answer.verdict == .refreshAuthorization)
        #expect(answer.reason.utf8.count <= OutcomeReason.bytesMaximum)
    }

    @Test func everyRowHasItsReason() {
        #expect(WebPushErrorTable.table.rows.allSatisfy { !$0.why.isEmpty })
        // Each row decides about something: none is hidden behind those before it.
        for (number, row) in WebPushErrorTable.table.rows.enumerated() {
            let earlier = AnswerTable(Array(WebPushErrorTable.table.rows.prefix(number)), otherwise: .misconfigured)
            let answers = row.statuses.map { earlier.answer(status: $0, word: row.word ?? "") }
            #expect(answers.contains { $0.verdict == .misconfigured }, "\(row.statuses)")
        }
    }
}
