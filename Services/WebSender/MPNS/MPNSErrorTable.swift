import ProviderKit
import ServiceKit

/// Maps the answers of MPNS to verdicts. The word is that of `X-NotificationStatus`.
enum MPNSErrorTable {
    private static let minute = RetryAdvice(floor: .seconds(60))

    static let table = AnswerTable([
        .init(200, word: "received", .delivered, why: "accepted"),
        .init(
            200, word: "queuefull", .throttled(.device, minute),
            why: "the device has too many pushes waiting for it"),
        .init(
            200, word: "suppressed", .payloadRejected,
            why: "discarded for good: the phone does not show this type of push"),
        .init(200, .delivered, why: "accepted, by a server that does not state the status"),
        .init(401, .suspectDevice, why: "the channel belongs to another app or certificate, or is a forgery"),
        .init(403, .misconfigured, why: "the certificate is invalid"),
        .init(404, .invalidDevice(since: nil), why: "the channel is expired"),
        .init(
            406, .throttled(.device, RetryAdvice(floor: .seconds(3_600))),
            why: "the channel's daily limit is reached; without a certificate it is 500"),
        .init(
            412,
            .throttled(.device, RetryAdvice(floor: .zero, waits: [.seconds(61 * 60) ... .seconds(65 * 60)])),
            why: "the phone is offline; MPNS asks for a wait of at least 61 minutes"),
        .init(408, .retryLater(.soon), why: "the request did not arrive in time"),
        .init(429, .throttled(.device, minute), why: "a gateway before the server asks for a pause"),
        .init(400...499, .payloadRejected, why: "the request is wrong (400, 405) or too large"),
        .init(
            503, .retryLater(RetryAdvice(floor: .zero, waits: [.seconds(300) ... .seconds(360)])),
            why: "the server is overloaded; MPNS asks for a wait of 5 minutes"),
        .init(500...599, .retryLater(minute), why: "the server fails"),
    ])
}
