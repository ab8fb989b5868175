/// Names of channels that select an answer, as in `gone-1234`.
enum WNSName {
    enum Effect: Sendable, Equatable {
        case refusal(WNSError, retryAfter: Int?)
        /// Answered with 200 and this `X-WNS-Status`, which says that the push is not delivered.
        case status(String)
    }

    static let effects: [String: Effect] = [
        "gone": .refusal(.expiredChannel, retryAfter: nil),
        "missing": .refusal(.unknownChannel, retryAfter: nil),
        "forbidden": .refusal(.forbidden, retryAfter: nil),
        "limited": .refusal(.limited, retryAfter: 1),
        "internal": .refusal(.internalError, retryAfter: nil),
        "unavailable": .refusal(.unavailable, retryAfter: 1),
        "dropped": .status("dropped"),
        "channelthrottled": .status("channelthrottled"),
    ]
}
