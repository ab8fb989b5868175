import ProviderKit
import ServiceKit

/// Maps the answers of publishers' servers to verdicts. Pushd, which defined these devices, did not read the answers.
enum HTTPPushErrorTable {
    static let table = AnswerTable([
        .init(200...299, .delivered, why: "accepted"),
        .init(
            300...399, .payloadRejected,
            why: "redirects are not followed: their target was not registered"),
        .init(404, .suspectDevice, why: "a server that is being deployed answers so too; repeated, the device is gone"),
        .init(410, .invalidDevice(since: nil), why: "the server says that the device is gone"),
        .init(408, .retryLater(.soon), why: "the request did not arrive in time"),
        .init(429, .throttled(.device, .soon), why: "the server asks for a pause"),
        .init(400...499, .payloadRejected, why: "the server does not want this push"),
        .init(500...599, .retryLater(.soon), why: "the server fails, or is overloaded"),
    ])
}
