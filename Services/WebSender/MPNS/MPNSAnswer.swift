import HTTPClient
import ProviderKit
import PushModel
import ServiceKit

/// Decodes the answers of MPNS: a status, and headers that say more. They are untrusted input.
enum MPNSAnswer {
    static func read(_ response: HTTPClientResponse, now: Timestamp) -> ProviderAnswer {
        let word = response.header("X-NotificationStatus") ?? ""
        let isReceived = word.lowercased() == "received"
        return MPNSErrorTable.table.answer(
            status: response.status, word: response.status == 200 ? word.lowercased() : "",
            reason: OutcomeReason.cut(isReceived ? "" : word), retryAfter: response.retryAfter(now: now))
    }
}
