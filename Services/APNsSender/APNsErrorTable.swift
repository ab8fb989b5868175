import ProviderKit
import ServiceKit

/// Maps Apple's answers to verdicts. Reasons that are not in Apple's list are judged by their status only.
enum APNsErrorTable {
    /// Waits after an error of Apple's own. Most concern one server, so the first wait is short; Apple's manual asks
    /// for fifteen minutes, which is the last.
    static let ownFault = RetryAdvice(
        floor: .zero,
        waits: [
            .seconds(10) ... .seconds(20), .seconds(60) ... .seconds(75), .seconds(300) ... .seconds(360),
            .seconds(900) ... .seconds(1_080),
        ])
    /// For a throttled device, or a key that was renewed too often.
    private static let tooMany = RetryAdvice(floor: .seconds(60))

    /// `since` is when Apple found the token to be invalid; only a 410 carries it.
    static func answer(
        status: Int, reason: String, since: Timestamp? = nil, retryAfter: Duration? = nil
    ) -> ProviderAnswer {
        let (verdict, endsConnection) = verdict(status, reason: reason, since: since)
        return ProviderAnswer(
            verdict, reason: reason, httpStatus: status, retryAfter: retryAfter, endsConnection: endsConnection)
    }

    private static func verdict(
        _ status: Int, reason: String, since: Timestamp?
    ) -> (ProviderAnswer.Verdict, endsConnection: Bool) {
        switch (status, reason) {
        case (200, _): (.delivered, false)
        // A token of the other environment gets this too, so that only the breaker lets a device be deleted for it.
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): (.invalidDevice(since: nil), false)
        // Of channels, which have no tokens.
        case (400, "ChannelNotRegistered"), (400, "BadChannelId"), (400, "MissingChannelId"):
            (.invalidDevice(since: nil), false)
        case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"): (.misconfigured, false)
        case (400, "IdleTimeout"): (.retryLater(.soon), true)
        // The connection stays bound to the token it was opened with.
        case (403, "ExpiredProviderToken"): (.refreshAuthorization, true)
        case (403, "InvalidProviderToken"): (.refreshAuthorization, false)
        case (403, "UnrelatedKeyIdInToken"): (.retryLater(.soon), true)
        case (403, _): (.misconfigured, false)
        case (410, _): (.invalidDevice(since: since), false)
        case (429, "TooManyProviderTokenUpdates"): (.throttled(.app, tooMany), false)
        case (429, _): (.throttled(.device, tooMany), false)
        case (503, "Shutdown"): (.retryLater(.soon), true)
        case (400..<500, _): (.payloadRejected, false)
        // An error of Apple's own, or an answer that is not Apple's.
        default: (.retryLater(ownFault), false)
        }
    }
}
