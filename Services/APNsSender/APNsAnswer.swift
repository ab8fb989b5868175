import HTTP2
import JSONKit
import ProviderKit
import PushModel
import ServiceKit

/// Decodes Apple's answers: only a status for an accepted push, else a short JSON body with the reason.
enum APNsAnswer {
    private static let limits = JSONLimits(bytesMaximum: 4 << 10, depthMaximum: 4)

    static func outcome(_ outcome: HTTP2Outcome) -> PushOutcome {
        PushOutcome(outcome, answer: answer)
    }

    /// The answer may come from a proxy between Apple and the sender: for a malformed body only the status counts.
    static func answer(_ response: HTTP2Response) -> ProviderAnswer {
        guard response.status != 200 else { return APNsErrorTable.answer(status: 200, reason: "") }
        let body = try? JSON(response.body, limits: limits)
        return APNsErrorTable.answer(
            status: response.status, reason: OutcomeReason.cut(body?["reason"]?.text ?? ""),
            since: body?["timestamp"].flatMap(moment), retryAfter: retryAfter(response))
    }

    private static func moment(_ value: JSON) -> Timestamp? {
        guard case .integer(let milliseconds) = value, milliseconds > 0 else { return nil }
        return Timestamp(milliseconds: milliseconds)
    }

    /// In seconds; Apple does not use the other form, a date.
    private static func retryAfter(_ response: HTTP2Response) -> Duration? {
        response.headers["retry-after"].flatMap(UInt32.init).map { .seconds(Int64($0)) }
    }
}
