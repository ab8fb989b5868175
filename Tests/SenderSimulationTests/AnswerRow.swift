import PushModel

/// One answer of a provider, and the outcome that the policy derives from it.
struct AnswerRow: Sendable {
    enum Cause: Sendable {
        /// A status, an optional reason, and an optional `Retry-After` in seconds.
        case answer(Int, String?, retryAfter: Int?)
        /// An answer of the server that issues access tokens.
        case tokenAnswer(Int, String?)
        /// The prefix of the device's token, which tells the simulator what to answer.
        case token(String)
        /// A defective message.
        case message(Renderer)
    }

    enum Fate: Sendable {
        case ended(DeliveryState)
        /// A retry with this attempt number, after at least this many seconds, plus at most the jitter.
        case waits(UInt8, Int, jitter: Int = 1)
    }

    let cause: Cause
    let fate: Fate
    /// True if another device of the app is in the same batch.
    var hasCompanion = false
    /// True if the device registered again after the provider's time of its death.
    var isNewer = false
    /// True if the task allows no push that could repeat the first.
    var isAtMostOnce = false

    static func answers(
        _ status: Int, reasons: String?..., retryAfter: Int? = nil, mean fate: Fate
    ) -> [AnswerRow] {
        reasons.map { AnswerRow(cause: .answer(status, $0, retryAfter: retryAfter), fate: fate) }
    }

    /// Answers to a task with `at_most_once`.
    static func onceAnswers(_ status: Int, reasons: String?..., mean fate: Fate) -> [AnswerRow] {
        reasons.map { AnswerRow(cause: .answer(status, $0, retryAfter: nil), fate: fate, isAtMostOnce: true) }
    }

    static func onceTokens(_ beginnings: String..., mean fate: Fate) -> [AnswerRow] {
        beginnings.map { AnswerRow(cause: .token($0), fate: fate, isAtMostOnce: true) }
    }

    static func tokens(_ beginnings: String..., hasCompanion: Bool = false, mean fate: Fate) -> [AnswerRow] {
        beginnings.map { AnswerRow(cause: .token($0), fate: fate, hasCompanion: hasCompanion) }
    }

    /// An operator has to correct the app's settings; the sender retries once a minute.
    static let parked = Fate.waits(0, 60)
    /// Apple's own errors: ten to twenty seconds before the first retry.
    private static let appleFault = Fate.waits(1, 10, jitter: 10)

    static func rows(_ kind: PushProtocol) -> [AnswerRow] {
        switch kind {
        case .apns: apns.flatMap { $0 }
        case .fcm: fcm.flatMap { $0 }
        case .huawei: huawei.flatMap { $0 }
        case .webpush: webpush.flatMap { $0 }
        case .wns: wns.flatMap { $0 }
        case .mpns: mpns.flatMap { $0 }
        case .http: http.flatMap { $0 }
        case .liveActivity, .channel: []
        }
    }

    private static let apns = [
        answers(200, reasons: nil, mean: .ended(.delivered)),
        // Without deliveries in the same environment no device is deleted for this answer.
        answers(400, reasons: "BadDeviceToken", "DeviceTokenNotForTopic", mean: .ended(.invalid)),
        tokens("bad00400", "bad10400", hasCompanion: true, mean: .ended(.invalidRemoved)),
        answers(
            400, reasons: "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
            "InvalidPushType", "PayloadEmpty", "MissingDeviceToken", "NeverHeardOf", mean: .ended(.failed)),
        answers(400, reasons: "BadTopic", "MissingTopic", "TopicDisallowed", mean: parked),
        answers(400, reasons: "IdleTimeout", mean: .waits(1, 0)),
        answers(403, reasons: "ExpiredProviderToken", "InvalidProviderToken", mean: parked),
        answers(
            403, reasons: "MissingProviderToken", "BadCertificate", "BadCertificateEnvironment",
            "BadEnvironmentKeyIdInToken",
            "BadEnvironmentKeyInToken", "Forbidden", mean: parked),
        answers(403, reasons: "UnrelatedKeyIdInToken", mean: .waits(1, 0)),
        answers(404, reasons: "BadPath", mean: .ended(.failed)),
        answers(405, reasons: "MethodNotAllowed", mean: .ended(.failed)),
        answers(410, reasons: "Unregistered", "ExpiredToken", mean: .ended(.invalidRemoved)),
        tokens("dead0410", "dead1410", mean: .ended(.invalidRemoved)),
        [AnswerRow(cause: .token("dead0410"), fate: .ended(.invalid), isNewer: true)],
        answers(413, reasons: "PayloadTooLarge", mean: .ended(.failed)),
        answers(418, reasons: nil, mean: .ended(.failed)),
        answers(429, reasons: "TooManyRequests", "TooManyProviderTokenUpdates", mean: .waits(1, 60)),
        answers(429, reasons: "TooManyRequests", retryAfter: 7, mean: .waits(1, 7)),
        answers(500, reasons: "InternalServerError", mean: appleFault),
        answers(503, reasons: "ServiceUnavailable", mean: appleFault),
        answers(503, reasons: "ServiceUnavailable", retryAfter: 5, mean: .waits(1, 5)),
        answers(503, reasons: "Shutdown", mean: .waits(1, 0)),
        answers(599, reasons: nil, mean: appleFault),
        // Refused unprocessed, so the attempt does not count; the other pushes may have been delivered.
        tokens("c0de0001", mean: .waits(0, 0)),
        tokens("c0de0002", "c0de0003", "c0de0004", mean: .waits(1, 0)),
        // A push that may have been delivered is not sent again; a refused or unprocessed one is.
        onceAnswers(500, reasons: "InternalServerError", nil, mean: .ended(.unknown)),
        onceAnswers(502, reasons: nil, mean: .ended(.unknown)),
        onceAnswers(503, reasons: nil, mean: .ended(.unknown)),
        onceAnswers(504, reasons: nil, mean: .ended(.unknown)),
        onceTokens("c0de0002", "c0de0003", "c0de0004", mean: .ended(.unknown)),
        onceAnswers(503, reasons: "Shutdown", mean: .waits(1, 0)),
        onceAnswers(429, reasons: "TooManyRequests", mean: .waits(1, 60)),
        onceTokens("c0de0001", mean: .waits(0, 0)),
    ]

    private static let fcm = [
        answers(200, reasons: nil, mean: .ended(.delivered)),
        answers(404, reasons: "UNREGISTERED", mean: .ended(.invalid)),
        answers(400, reasons: "INVALID_ARGUMENT", mean: .ended(.invalid)),
        answers(403, reasons: "SENDER_ID_MISMATCH", mean: .ended(.invalid)),
        tokens("unregistered", "invalid", "mismatch", hasCompanion: true, mean: .ended(.invalidRemoved)),
        [AnswerRow(cause: .message(longLived), fate: .ended(.failed))],
        answers(400, reasons: nil, "UNSPECIFIED_ERROR", mean: .ended(.failed)),
        answers(401, reasons: nil, "THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR", mean: parked),
        answers(403, reasons: nil, mean: parked),
        answers(404, reasons: nil, mean: parked),
        answers(418, reasons: nil, mean: .ended(.failed)),
        answers(429, reasons: "QUOTA_EXCEEDED", mean: .waits(1, 60)),
        answers(429, reasons: "QUOTA_EXCEEDED", retryAfter: 3, mean: .waits(1, 3)),
        answers(500, reasons: "INTERNAL", mean: .waits(1, 10)),
        answers(503, reasons: "UNAVAILABLE", mean: .waits(1, 10)),
        answers(503, reasons: "UNAVAILABLE", retryAfter: 4, mean: .waits(1, 4)),
        answers(599, reasons: nil, mean: .waits(1, 10)),
        [AnswerRow(cause: .tokenAnswer(400, "invalid_grant"), fate: parked)],
        // An outage, whose first pause has jitter.
        [AnswerRow(cause: .tokenAnswer(503, nil), fate: .waits(0, 7, jitter: 8))],
        tokens("refuse", mean: .waits(0, 0)),
        tokens("fail", "stall", "drop", mean: .waits(1, 0)),
        onceAnswers(500, reasons: "INTERNAL", nil, mean: .ended(.unknown)),
        onceAnswers(502, reasons: nil, mean: .ended(.unknown)),
        onceAnswers(504, reasons: nil, mean: .ended(.unknown)),
        onceTokens("fail", "stall", "drop", mean: .ended(.unknown)),
        onceAnswers(503, reasons: "UNAVAILABLE", mean: .waits(1, 10)),
        onceAnswers(429, reasons: "QUOTA_EXCEEDED", mean: .waits(1, 60)),
        onceTokens("refuse", mean: .waits(0, 0)),
    ]

    private static let huawei = [
        answers(200, reasons: "80000000", mean: .ended(.delivered)),
        answers(400, reasons: "80300007", mean: .ended(.invalid)),
        tokens("illegal", mean: .ended(.invalid)),
        tokens("illegal", hasCompanion: true, mean: .ended(.invalidRemoved)),
        answers(
            400, reasons: "80100001", "80100003", "80100004", "80100013", "80100016", "80100018", "80300008",
            "80300010",
            mean: .ended(.failed)),
        answers(400, reasons: "80100017", mean: .waits(1, 60)),
        answers(400, reasons: "80300002", "80300011", "80300013", mean: parked),
        tokens("forbidden", mean: parked),
        answers(401, reasons: "80200001", "80200003", "80200005", nil, mean: parked),
        answers(404, reasons: nil, mean: parked),
        answers(418, reasons: nil, mean: .ended(.failed)),
        answers(500, reasons: "80600003", mean: parked),
        answers(500, reasons: "81000001", nil, mean: .waits(1, 0)),
        answers(502, reasons: nil, mean: .waits(1, 0)),
        answers(503, reasons: nil, mean: .waits(1, 60)),
        answers(503, reasons: nil, retryAfter: 2, mean: .waits(1, 2)),
        [AnswerRow(cause: .tokenAnswer(400, "1101"), fate: parked)],
        // An outage, whose first pause has jitter.
        [AnswerRow(cause: .tokenAnswer(503, nil), fate: .waits(0, 7, jitter: 8))],
        tokens("fail", "stall", "drop", mean: .waits(1, 0)),
        onceAnswers(500, reasons: "81000001", nil, mean: .ended(.unknown)),
        onceAnswers(502, reasons: nil, mean: .ended(.unknown)),
        onceAnswers(504, reasons: nil, mean: .ended(.unknown)),
        onceTokens("fail", "stall", "drop", mean: .ended(.unknown)),
        onceAnswers(503, reasons: nil, mean: .waits(1, 60)),
    ]

    /// FCM names the invalid field, so the device is not at fault.
    private static let longLived = Renderer(
        fcm: Renderer.template(#"{"message":{"android":{"ttl":"9999999999s"},"token":""#, end: #""}}"#))
}

extension AnswerRow: CustomStringConvertible {
    var description: String {
        (isAtMostOnce ? "at most once: " : "") + event
    }

    private var event: String {
        switch cause {
        case .answer(let status, let reason, let retryAfter):
            "\(status) \(reason ?? "") \(retryAfter.map { "after \($0) s" } ?? "")"
        case .tokenAnswer(let status, let reason): "access token: \(status) \(reason ?? "")"
        case .token(let beginning): hasCompanion ? "\(beginning) beside another" : beginning
        case .message: "a wrong message"
        }
    }
}
