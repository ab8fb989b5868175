import PushModel

/// A device of the demonstration, the same for one number in every run. Some have dead tokens; docs/simulator.md lists
/// the tokens for which the simulator returns errors.
struct DemoDevice: Sendable {
    static let languages = ["en", "fr", "de", "fi"]
    static let topics = ["breaking-news", "sports", "culture"]
    private static let providers: [PushProtocol] = [.apns, .fcm, .huawei]
    private static let deadEvery = 50

    let number: Int

    var provider: PushProtocol { DemoDevice.providers[number % DemoDevice.providers.count] }
    var language: String { DemoDevice.languages[number / DemoDevice.providers.count % DemoDevice.languages.count] }
    var isDead: Bool { number % DemoDevice.deadEvery == 0 }

    /// One, two or all three topics, so that a push per subscription instead of per device would be noticed.
    var topics: [String] { Array(DemoDevice.topics.prefix(1 + number % DemoDevice.topics.count)) }

    var token: String {
        let digits = String(number, radix: 16)
        let serial = String(repeating: "0", count: 8 - digits.count) + digits
        switch provider {
        case .apns: return (isDead ? "dead0410" : "a11ce000") + String(repeating: "0", count: 48) + serial
        case .fcm: return (isDead ? "unregistered-" : "demo-") + String(repeating: "f", count: 40) + serial
        default: return (isDead ? "illegal-" : "demo-") + String(repeating: "h", count: 40) + serial
        }
    }

    var form: String { "proto=\(provider.name)&token=\(token)&lang=\(language)" }

    var subscriptions: String { "{" + topics.map { "\"\($0)\":{}" }.joined(separator: ",") + "}" }
}
