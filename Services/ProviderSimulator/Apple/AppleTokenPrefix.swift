/// Prefixes of device tokens that select a fault. Eight digits, so that a test with a million random tokens hits none.
enum AppleTokenPrefix {
    enum Effect: Sendable, Equatable {
        case refusal(AppleError)
        case fault(Fault)
    }

    static let effects: [String: Effect] = [
        "dead0410": .refusal(.unregistered),
        "dead1410": .refusal(.expiredToken),
        "bad00400": .refusal(.badDeviceToken),
        "bad10400": .refusal(.deviceTokenNotForTopic),
        "fade0429": .refusal(.tooManyRequests),
        "fade0500": .refusal(.internalServerError),
        "fade0503": .refusal(.serviceUnavailable),
        "fade1503": .refusal(.shutdown),
        "c0de0001": .fault(.refuse),
        "c0de0002": .fault(.fail),
        "c0de0003": .fault(.stall),
        "c0de0004": .fault(.drop),
    ]

    static func effect(of token: Substring) -> Effect? {
        guard let first = token.utf8.first, firstBytes.contains(first) else { return nil }
        return effects[token.prefix(8).lowercased()]
    }

    /// Most tokens have no such prefix, which their first byte shows.
    private static let firstBytes = Set(effects.keys.flatMap { [$0, $0.uppercased()] }.compactMap(\.utf8.first))
}
