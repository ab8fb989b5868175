import HTTP2
import JSONKit
import ProviderKit
import PushModel
import ServiceKit

/// Decodes Google's answers. They are untrusted input: every answer yields a result.
enum FCMAnswer {
    private static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    private static let badRequestType = "type.googleapis.com/google.rpc.BadRequest"
    private static let quotaFailureType = "type.googleapis.com/google.rpc.QuotaFailure"
    private static let limits = JSONLimits(bytesMaximum: 64 << 10)

    static func read(_ response: HTTP2Response, now: Timestamp) -> ProviderAnswer {
        // The name of the message is not needed, and this is the answer that comes a million times.
        guard response.status != 200 else { return ProviderAnswer(.delivered, reason: "", status: 200) }
        return FCMErrorTable.answer(
            status: response.status, report(response.body), retryAfter: response.retryAfter(now: now))
    }

    static func report(_ body: [UInt8]) -> FCMErrorTable.Report {
        var report = FCMErrorTable.Report()
        guard let error = (try? JSON(body, limits: limits))?["error"] else { return report }
        report.status = word(error["status"])
        for detail in error["details"]?.elements ?? [] {
            switch detail["@type"]?.text {
            case errorType: report.errorCode = word(detail["errorCode"])
            case badRequestType: report.namesFields = namesFields(detail)
            case quotaFailureType: report.isDeviceQuota = isOfDevice(detail)
            default: break
            }
        }
        return report
    }

    /// Reasons go into reports and the ledger, so their length is bounded.
    private static func word(_ value: JSON?) -> String {
        OutcomeReason.cut(value?.text ?? "")
    }

    /// True if a field other than the token is invalid.
    private static func namesFields(_ detail: JSON) -> Bool {
        (detail["fieldViolations"]?.elements ?? []).contains { violation in
            !["message.token", "token"].contains(violation["field"]?.text ?? "")
        }
    }

    private static func isOfDevice(_ detail: JSON) -> Bool {
        (detail["violations"]?.elements ?? []).contains { violation in
            violation["subject"]?.text?.lowercased().contains("device") == true
        }
    }
}
