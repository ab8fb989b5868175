import ProviderKit
import ServiceKit

/// Maps Huawei's answers to verdicts for the tokens of one request.
enum HuaweiErrorTable {
    /// One request carries many tokens; an answer may list some of them as invalid.
    struct Report: Equatable, Sendable {
        var code = ""
        var illegalTokens: Set<String> = []
    }

    private static let overloadPause = Duration.seconds(60)

    static func answer(status: Int, _ report: Report, token: String, retryAfter: Duration?) -> ProviderAnswer {
        let overload = ProviderAnswer.Verdict.throttled(.app, RetryAdvice(floor: retryAfter ?? overloadPause))
        let verdict = verdict(status, report: report, token: token, overload: overload)
        // Huawei throttles with 503; every other server error leaves in doubt how far the request got.
        var mayBeProcessed = false
        if case .retryLater = verdict { mayBeProcessed = true }
        return ProviderAnswer(
            verdict, reason: report.code, status: UInt16(clamping: status), mayBeProcessed: mayBeProcessed)
    }

    private static func verdict(
        _ status: Int, report: Report, token: String, overload: ProviderAnswer.Verdict
    ) -> ProviderAnswer.Verdict {
        switch report.code {
        case "80000000": .delivered
        case "80100000": report.illegalTokens.contains(token) ? .invalidDevice(since: nil) : .delivered
        case "80300007": .invalidDevice(since: nil)
        case "80200001", "80200003", "80200005", "80600003": .refreshAuthorization
        case "80300002", "80300011", "80300013": .misconfigured
        case "80100017": overload
        case "81000001": .retryLater(.soon)
        default: verdict(status, overload: overload)
        }
    }

    /// Without a code, or with an unknown one, the status decides.
    private static func verdict(_ status: Int, overload: ProviderAnswer.Verdict) -> ProviderAnswer.Verdict {
        switch status {
        case 401: .refreshAuthorization
        case 403, 404: .misconfigured
        case 503, 429: overload
        case 500...: .retryLater(.soon)
        default: .payloadRejected
        }
    }
}
