import HTTPClient
import ProviderKit
import ServiceKit
import Testing

@testable import WebSender

@Suite struct MPNSErrorTableTests {
    private static let minute = RetryAdvice(floor: .seconds(60))
    private static let hour = RetryAdvice(floor: .seconds(3_600))
    private static let overload = RetryAdvice(floor: .zero, waits: [.seconds(300) ... .seconds(360)])
    private static let offline = RetryAdvice(floor: .zero, waits: [.seconds(3_660) ... .seconds(3_900)])

    @Test(arguments: [
        (200, "Received", ProviderAnswer.Verdict.delivered), (200, "", .delivered),
        (200, "QueueFull", .throttled(.device, minute)), (200, "Suppressed", .payloadRejected),
        (400, "", .payloadRejected), (401, "", .suspectDevice), (403, "", .misconfigured),
        (404, "Dropped", .invalidDevice(since: nil)), (405, "", .payloadRejected),
        (406, "Dropped", .throttled(.device, hour)), (408, "", .retryLater(.soon)),
        (412, "Dropped", .throttled(.device, offline)), (429, "", .throttled(.device, minute)),
        (500, "", .retryLater(minute)), (503, "", .retryLater(overload)), (302, "", .retryLater(.soon)),
    ])
    func everyAnswerHasAVerdict(status: Int, word: String, verdict: ProviderAnswer.Verdict) {
        let headers = word.isEmpty ? [] : [HTTPClientRequest.Header("X-NotificationStatus", word)]
        let answer = MPNSAnswer.read(
            HTTPClientResponse(status: status, headers: headers), now: Timestamp(milliseconds: 0))
        #expect(answer.verdict == verdict)
        #expect(answer.reason == (word == "Received" ? "" : word))
    }
}
