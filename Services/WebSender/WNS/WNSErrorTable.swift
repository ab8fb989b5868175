import ProviderKit
import ServiceKit

/// Maps the answers of WNS to verdicts. The word is that of `X-WNS-Status`.
enum WNSErrorTable {
    private static let minute = RetryAdvice(floor: .seconds(60))

    static let table = AnswerTable([
        .init(200, word: "received", .delivered, why: "accepted"),
        .init(
            200, word: "dropped", .payloadRejected,
            why: "discarded for good: the user or the device's settings do not want it"),
        .init(
            200, word: "channelthrottled", .throttled(.device, minute),
            why: "this channel got too many; X-WNS-CONTINUE-AFTER says how long to wait"),
        .init(200, .delivered, why: "accepted, by a server that does not state the status"),
        .init(401, .refreshAuthorization, why: "the access token is expired; a second refusal is the app's secret"),
        .init(
            403, .suspectDevice,
            why: "the channel belongs to another app than the token; one such device must not stop the others"),
        .init(404, .invalidDevice(since: nil), why: "there is no such channel"),
        .init(410, .invalidDevice(since: nil), why: "the channel is expired"),
        .init(406, .throttled(.device, minute), why: "the app exceeds the limit of this channel's server"),
        .init(429, .throttled(.device, minute), why: "as 406, by a gateway before the server"),
        .init(408, .retryLater(.soon), why: "the request did not arrive in time"),
        .init(400...499, .payloadRejected, why: "the request is wrong (400, 405) or too large (413)"),
        .init(500...599, .retryLater(minute), why: "the server fails, or is overloaded"),
    ])
}
