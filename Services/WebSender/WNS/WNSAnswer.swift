import HTTPClient
import ProviderKit
import PushModel
import ServiceKit

/// Decodes the answers of WNS: a status, and headers that say more. They are untrusted input.
enum WNSAnswer {
    static func read(_ response: HTTPClientResponse, now: Timestamp) -> ProviderAnswer {
        // The second name is that of older replies.
        let word = response.header("X-WNS-Status") ?? response.header("X-WNS-NotificationStatus") ?? ""
        let cause = response.header("X-WNS-Error-Description") ?? word
        return WNSErrorTable.table.answer(
            status: response.status, word: response.status == 200 ? word.lowercased() : "",
            reason: OutcomeReason.cut(cause.lowercased() == "received" ? "" : cause),
            retryAfter: retryAfter(response, now: now))
    }

    private static func retryAfter(_ response: HTTPClientResponse, now: Timestamp) -> Duration? {
        RetryAfter.wait(response.header("X-WNS-CONTINUE-AFTER"), now: now) ?? response.retryAfter(now: now)
    }
}
