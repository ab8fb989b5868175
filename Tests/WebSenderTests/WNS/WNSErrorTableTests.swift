import HTTPClient
import ProviderKit
import ServiceKit
import Testing

@testable import WebSender

@Suite struct WNSErrorTableTests {
    private static let minute = RetryAdvice(floor: .seconds(60))

    @Test(arguments: [
        (200, "received", ProviderAnswer.Verdict.delivered), (200, "Received", .delivered), (200, "", .delivered),
        (200, "dropped", .payloadRejected), (200, "channelThrottled", .throttled(.device, minute)),
        (400, "", .payloadRejected), (401, "", .refreshAuthorization), (403, "", .suspectDevice),
        (404, "dropped", .invalidDevice(since: nil)), (405, "", .payloadRejected),
        (406, "", .throttled(.device, minute)), (408, "", .retryLater(.soon)), (410, "", .invalidDevice(since: nil)),
        (413, "", .payloadRejected), (429, "", .throttled(.device, minute)), (500, "", .retryLater(minute)),
        (503, "", .retryLater(minute)), (302, "", .retryLater(.soon)), (100, "", .retryLater(.soon)),
    ])
    func everyAnswerHasAVerdict(status: Int, word: String, verdict: ProviderAnswer.Verdict) {
        let headers = word.isEmpty ? [] : [HTTPClientRequest.Header("X-WNS-Status", word)]
        let answer = WNSAnswer.read(
            HTTPClientResponse(status: status, headers: headers), now: Timestamp(milliseconds: 0))
        #expect(answer.verdict == verdict)
        #expect(answer.status == UInt16(status))
    }

    @Test func reasonsAreBounded() {
        let headers = [HTTPClientRequest.Header("X-WNS-Error-Description", String(repeating: "x", count: 10_000))]
        let answer = WNSAnswer.read(
            HTTPClientResponse(status: 400, headers: headers), now: Timestamp(milliseconds: 0))
        #expect(answer.reason.utf8.count == 64)
    }
}
