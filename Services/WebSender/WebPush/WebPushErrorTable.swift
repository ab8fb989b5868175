import ProviderKit
import ServiceKit

/// What the answers of push services mean (RFC 8030, RFC 8292, and the manuals of Apple, Google and Mozilla).
enum WebPushErrorTable {
    /// Stands for the texts with which push services say that a subscription belongs to another key.
    static let otherKey = "VapidPkHashMismatch"

    static let table = AnswerTable([
        .init(200...204, .delivered, why: "201 is usual; 202 with a receipt, 200 and 204 from older services"),
        .init(
            400...403, word: otherKey, .invalidDevice(since: nil),
            why: "the browser subscribed with another key, so no push of this app can reach it"),
        .init(401, .refreshAuthorization, why: "the token is missing, expired or not for this service"),
        .init(403, .refreshAuthorization, why: "the token is not accepted"),
        .init(404, .invalidDevice(since: nil), why: "the subscription does not exist (RFC 8030, section 7.3)"),
        .init(410, .invalidDevice(since: nil), why: "the subscription has ended"),
        .init(413, .payloadRejected, why: "the body is larger than the service takes"),
        .init(
            429, .throttled(.device, RetryAdvice(floor: .seconds(60))),
            why: "too many pushes; a Retry-After counts for all pushes to the service"),
        .init(400...499, .payloadRejected, why: "the request stays wrong however often it is sent"),
        .init(500...599, .retryLater(.soon), why: "an error of the service's own"),
    ])
}
