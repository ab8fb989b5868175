import ServiceKit

/// A process that was killed, or brokers that were away.
struct SoakKill: Sendable, CustomStringConvertible {
    static let redis = "redis-server"
    static let brokers = "brokers"
    /// Pushes in flight per process of a sender, by provider, according to its settings.
    static let inFlight = ["apns": 200, "fcm": 200, "huawei": 500]

    let victim: String
    let begin: Timestamp
    /// When it runs again.
    let end: Timestamp

    /// The providers whose answers may not have been recorded.
    var providers: [String] {
        switch victim {
        case "apns-sender": ["apns"]
        case "android-sender": ["fcm", "huawei"]
        case SoakKill.redis: Harness.providers
        default: []
        }
    }

    /// Maximum of pushes that were in flight, or answered and not yet in the ledger. Redis concerns both processes of
    /// each sender.
    var inFlight: Int {
        let ofOne = providers.reduce(0) { $0 + 2 * SoakKill.inFlight[$1, default: 0] }
        return victim == SoakKill.redis ? 2 * ofOne : ofOne
    }

    var description: String { "\(victim) \(begin)" }
}
