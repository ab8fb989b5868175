import HTTPClient
import ProviderKit
import ServiceKit

/// Decides about a report after an attempt to post it, only from the time since its task was closed, so that no
/// reporter has to know another's attempts.
struct PostPolicy: Sendable {
    enum Verdict: Equatable {
        case delivered
        case again(Timestamp, reason: String)
        case givenUp(reason: String)
    }

    static let pauseMinimum = Duration.seconds(5)
    static let pauseMaximum = Duration.seconds(1_800)

    let patience: Duration

    /// Every answer but a 2xx may be fixed later: an endpoint that was moved, a key that was changed.
    func verdict(
        on outcome: HTTPClientOutcome, closed: Timestamp, now: Timestamp, random: any RandomSource
    ) -> Verdict {
        switch outcome {
        case .answered(let response):
            guard !(200..<300).contains(response.status) else { return .delivered }
            let advice = RetryAfter.wait(response.header("Retry-After"), now: now)
            return again("status \(response.status)", advice: advice, closed: closed, now: now, random: random)
        case .notSent(let failure), .unknown(let failure):
            return again("\(failure.code.rawValue): \(failure)", advice: nil, closed: closed, now: now, random: random)
        }
    }

    /// Waits about as long as it has waited, so that each pause is about twice the one before. The last attempt is made
    /// when patience ends.
    func again(
        _ reason: String, advice: Duration?, closed: Timestamp, now: Timestamp, random: any RandomSource
    ) -> Verdict {
        let end = closed + patience
        guard now < end else { return .givenUp(reason: reason) }
        let waited = max(now - closed, .zero)
        let ceiling = min(max(waited, PostPolicy.pauseMinimum), PostPolicy.pauseMaximum)
        let pause = random.duration(in: ceiling / 2...ceiling)
        return .again(min(now + max(pause, advice ?? .zero), end), reason: reason)
    }
}
