import PushModel
import ServiceKit
import Store

/// A device of the benchmark, the same for one number in every run: half of them Apple's with tokens of 32
/// bytes, half Google's with tokens of 163 characters; one user, five subscriptions, a badge.
struct SyntheticDevice: Sendable {
    /// The topic to which all devices are subscribed.
    static let everyone = "news"
    static let topicsCount = 1_000

    let number: Int
    let tokenText: String
    let kind: PushProtocol
    let topics: [String]

    init(_ number: Int) {
        let random = SeededRandomSource(seed: UInt64(number))
        self.number = number
        kind = number.isMultiple(of: 2) ? .apns : .fcm
        tokenText =
            kind == .apns
            ? (0..<4).map { _ in random.hexadecimal() }.joined()
            : SyntheticDevice.letters(22, random: random) + ":" + SyntheticDevice.letters(140, random: random)
        var topics = [SyntheticDevice.everyone]
        while topics.count < 5 {
            let topic = "topic-\(random.next() % UInt64(SyntheticDevice.topicsCount))"
            if !topics.contains(topic) { topics.append(topic) }
        }
        self.topics = topics
    }

    var user: String { SyntheticDevice.user(number) }
    var language: String { ["en", "fr", "de", "fi_FI"][number % 4] }
    var badge: UInt32 { UInt32(number % 10) }

    /// That of the device with this number, whose other properties take longer to make.
    static func user(_ number: Int) -> String { "user-\(number)" }

    func token() throws -> PushToken { try PushToken(kind, text: tokenText) }

    var changes: DeviceChanges {
        DeviceChanges(language: language, badge: badge, aliases: [.externalUser: user])
    }

    private static func letters(_ count: Int, random: any RandomSource) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return String((0..<count).map { _ in alphabet[Int(random.next() % 64)] })
    }
}
