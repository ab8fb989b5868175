import ProviderKit
import ServiceKit

/// Maps Google's answers to verdicts.
enum FCMErrorTable {
    /// The relevant fields of an error body.
    struct Report: Equatable, Sendable {
        /// From the `FcmError` detail; empty without one.
        var errorCode = ""
        /// Google's general status, such as `INVALID_ARGUMENT`.
        var status = ""
        /// True if a `BadRequest` detail names fields: the message is invalid and not the token.
        var namesFields = false
        /// True if the exceeded quota is one device's.
        var isDeviceQuota = false
    }

    private static let ownFault = RetryAdvice(floor: .seconds(10))
    private static let quota = Duration.seconds(60)

    static func answer(status: Int, _ report: Report, retryAfter: Duration?) -> ProviderAnswer {
        let reason = report.errorCode.isEmpty ? report.status : report.errorCode
        return ProviderAnswer(
            verdict(status, report: report, retryAfter: retryAfter), reason: reason, httpStatus: status)
    }

    private static func verdict(
        _ status: Int, report: Report, retryAfter: Duration?
    ) -> ProviderAnswer.Verdict {
        switch (status, report.errorCode) {
        case (200, _): .delivered
        case (404, "UNREGISTERED"): .invalidDevice(since: nil)
        // The project or the address is wrong; that says nothing about the device.
        case (404, _): .misconfigured
        case (400, "INVALID_ARGUMENT") where !report.namesFields: .invalidDevice(since: nil)
        case (403, "SENDER_ID_MISMATCH"): .invalidDevice(since: nil)
        case (403, _): .misconfigured
        case (401, "THIRD_PARTY_AUTH_ERROR"), (401, "APNS_AUTH_ERROR"): .misconfigured
        case (401, _): .refreshAuthorization
        case (429, _):
            .throttled(report.isDeviceQuota ? .device : .app, RetryAdvice(floor: retryAfter ?? quota))
        case (503, _): .retryLater(retryAfter.map { RetryAdvice(floor: $0, isAsked: true) } ?? ownFault)
        case (400..<500, _): .payloadRejected
        // An error of Google's own, or an answer that is not Google's.
        default: .retryLater(ownFault)
        }
    }
}
