import PushModel

/// A device for registration by a test. The prefix of its token selects the simulator's answer.
struct TestDevice: Sendable {
    let kind: PushProtocol
    let token: String
    let language: String
    let topics: [String]
    var user: String?
    var timeZone: String?

    /// `word` is a prefix known to the simulator, such as `dead0410` for Apple or `unregistered` for Google.
    init(_ number: Int, kind: PushProtocol, word: String? = nil, topics: [String] = ["news"], user: String? = nil) {
        self.kind = kind
        self.topics = topics
        self.user = user
        language = ["en", "fr", "de", "fi_FI"][number % 4]
        let digits = TestDevice.digits(number)
        switch kind {
        case .apns: token = (word ?? "0a0b0c0d") + String(repeating: "0", count: 48) + digits
        default: token = (word ?? "device") + "-" + String(repeating: "x", count: 40) + digits
        }
    }

    /// This many devices, alternating between Apple, Google and Huawei.
    static func mixture(_ count: Int, from first: Int = 0, topics: [String] = ["news"]) -> [TestDevice] {
        (first..<first + count).map { TestDevice($0, kind: [.apns, .fcm, .huawei][$0 % 3], topics: topics) }
    }

    static func digits(_ number: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}
