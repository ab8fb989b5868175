import JSONKit

/// A push to Huawei with a valid form.
struct ReceivedHuaweiMessage: Sendable, Equatable {
    /// Empty for a topic or a condition.
    let tokens: [String]
    let group: String?
    let task: String?
    let isOnlyValidated: Bool

    private static let payloadBytesMaximum = 4_096
    private static let tokensMaximum = 1_000
    private static let ttlSecondsMaximum = 1_296_000
    private static let vibrationsMaximum = 10
    private static let targets = ["token", "topic", "condition"]

    init(_ body: [UInt8]) throws(HuaweiError) {
        // A thousand tokens of 200 bytes are within the default bound.
        guard let document = try? JSON(body), let message = document["message"]?.object else { throw .badStructure }
        let given = ReceivedHuaweiMessage.targets.filter { message[$0] != nil }
        guard given.count == 1 else { throw .badParameters }
        group = message["topic"]?.text ?? message["condition"]?.text
        tokens = group == nil ? try ReceivedHuaweiMessage.tokens(of: message["token"]) : []
        isOnlyValidated = document["validate_only"] == .bool(true)
        // Each token is between quotation marks and after a comma.
        let tokenBytes = tokens.reduce(0) { $0 + $1.utf8.count + 3 }
        if body.count - tokenBytes > ReceivedHuaweiMessage.payloadBytesMaximum { throw .payloadTooLarge }
        let android = message["android"]?.object
        try ReceivedHuaweiMessage.checkAndroid(android)
        guard message["data"] == nil || message["data"]?.text != nil else { throw .badStructure }
        task = android?["notification"]?["tag"]?.text ?? ReceivedHuaweiMessage.task(inData: message["data"]?.text)
    }

    private static func tokens(of value: JSON?) throws(HuaweiError) -> [String] {
        guard let elements = value?.elements else { throw .badStructure }
        guard 1...tokensMaximum ~= elements.count else { throw .badTokenCount }
        let tokens = elements.compactMap(\.text)
        guard tokens.count == elements.count else { throw .badStructure }
        return tokens
    }

    private static func checkAndroid(_ android: JSONObject?) throws(HuaweiError) {
        guard let android else { return }
        if let key = android["collapse_key"] {
            guard case .integer(let number) = key, -1...100 ~= number else { throw .badCollapseKey }
        }
        if let ttl = android["ttl"] {
            guard let text = ttl.text, text.hasSuffix("s"), let seconds = Int(text.dropLast()),
                1...ttlSecondsMaximum ~= seconds
            else { throw .badTTL }
        }
        if let urgency = android["urgency"], !["HIGH", "NORMAL"].contains(urgency.text) { throw .badParameters }
        if let notification = android["notification"] {
            guard case .integer(let type) = notification["click_action"]?["type"], 1...3 ~= type else {
                throw .badStructure
            }
            try checkAppearance(notification.object ?? JSONObject())
        }
    }

    private static func checkAppearance(_ notification: JSONObject) throws(HuaweiError) {
        let name = AndroidAppearance.invalidMember(
            of: notification, timings: "vibrate_config", timingsMaximum: vibrationsMaximum)
        guard name == nil else { throw .badParameters }
        if let importance = notification["importance"], !["LOW", "NORMAL"].contains(importance.text) {
            throw .badParameters
        }
    }

    /// Its data is one string, which may hold JSON.
    private static func task(inData data: String?) -> String? {
        guard let data, data.utf8.first == UInt8(ascii: "{"), let document = try? JSON(data) else { return nil }
        return document["task_id"]?.text
    }
}
