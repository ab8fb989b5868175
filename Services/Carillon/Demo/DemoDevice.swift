import PushModel
import ServiceKit

/// A device of the demonstration, the same for one number in every run. Some have dead tokens; docs/simulator.md lists
/// the tokens for which the simulator returns errors.
struct DemoDevice: Sendable {
    static let languages = ["en", "fr", "de", "fi"]
    static let topics = ["breaking-news", "sports", "culture"]
    static let providers: [PushProtocol] = [.apns, .fcm, .huawei, .webpush, .wns, .mpns, .http]
    private static let deadEvery = 50
    /// Phones of older versions get no data with a push.
    private static let phoneVersion = "8.1"

    let number: Int

    var provider: PushProtocol { DemoDevice.providers[number % DemoDevice.providers.count] }
    var platform: Platform { Platform(provider) }
    var language: String { DemoDevice.languages[number / DemoDevice.providers.count % DemoDevice.languages.count] }
    var isDead: Bool { number % DemoDevice.deadEvery == 0 }

    /// One, two or all three topics, so that a push per subscription instead of per device would be noticed.
    var topics: [String] { Array(DemoDevice.topics.prefix(1 + number % DemoDevice.topics.count)) }

    /// The end of an address that is a token, and the name of a browser's subscription.
    var name: String { (isDead ? "gone-" : "demo-") + serial }

    /// `endpoints` are the starts of addresses, by provider.
    func token(_ endpoints: [String: String]) -> String {
        switch provider {
        case .apns: (isDead ? "dead0410" : "a11ce000") + String(repeating: "0", count: 48) + serial
        case .fcm: (isDead ? "unregistered-" : "demo-") + String(repeating: "f", count: 40) + serial
        case .huawei: (isDead ? "illegal-" : "demo-") + String(repeating: "h", count: 40) + serial
        case .webpush, .wns, .mpns, .http, .liveActivity, .channel: (endpoints[provider.name] ?? "") + name
        }
    }

    /// `keys` are those of a browser's subscription.
    func form(_ endpoints: [String: String], keys: DemoBrowserKeys?) -> String {
        var fields = [("proto", provider.name), ("token", token(endpoints)), ("lang", language)]
        if provider == .mpns { fields.append(("version", DemoDevice.phoneVersion)) }
        if let keys { fields += [("p256dh", keys.publicKey), ("auth", keys.secret)] }
        return fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    }

    var subscriptions: String { "{" + topics.map { "\"\($0)\":{}" }.joined(separator: ",") + "}" }

    private var serial: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
