/// Names of subscriptions that select an answer, as in `gone-1234`.
enum WebPushName {
    static let refusals: [String: (WebPushRefusal, retryAfter: Int?)] = [
        "gone": (.gone, nil),
        "missing": (.unknownSubscription, nil),
        "mismatch": (.foreignKey, nil),
        "forbidden": (.forbidden, nil),
        "large": (.payloadTooLarge, nil),
        "limited": (.throttled, 1),
        "internal": (.internalError, nil),
        "unavailable": (.unavailable, 1),
    ]
}
