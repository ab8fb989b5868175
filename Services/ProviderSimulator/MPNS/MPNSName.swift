/// Names of channels that select an answer, as in `gone-1234`.
enum MPNSName {
    enum Effect: Sendable, Equatable {
        case refusal(MPNSError, retryAfter: Int?)
        /// Answered with 200 and this `X-NotificationStatus`, which says that the push is not delivered.
        case status(String)
    }

    static let effects: [String: Effect] = [
        "gone": .refusal(.expired, retryAfter: nil),
        "unauthorized": .refusal(.unauthorized, retryAfter: nil),
        "forbidden": .refusal(.forbidden, retryAfter: nil),
        "limited": .refusal(.limited, retryAfter: nil),
        "inactive": .refusal(.inactive, retryAfter: nil),
        "internal": .refusal(.internalError, retryAfter: nil),
        "unavailable": .refusal(.unavailable, retryAfter: 1),
        "full": .status("QueueFull"),
        "suppressed": .status("Suppressed"),
    ]
}
