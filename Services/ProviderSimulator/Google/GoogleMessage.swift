import JSONKit

/// A push to Google with a valid form.
struct GoogleMessage: Sendable, Equatable {
    enum Target: Sendable, Equatable {
        case token(String)
        /// A topic, a condition or an installation, which name no single devices.
        case group(String)
    }

    let target: Target
    let task: String?
    let isOnlyValidated: Bool

    private static let payloadBytesMaximum = 4_096
    private static let topicPayloadBytesMaximum = 2_048
    private static let ttlSecondsMaximum = 2_419_200.0
    private static let targets = ["token", "topic", "condition", "fid"]
    private static let priorities: Set = [
        "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH", "PRIORITY_MAX",
    ]
    private static let reservedKeys: Set = ["from", "message_type"]
    private static let reservedPrefixes = ["google", "gcm"]

    init(_ body: [UInt8]) throws(GoogleError) {
        guard let document = try? JSON(body), let message = document["message"]?.object else {
            throw .badField("message", message: "Invalid JSON payload received.")
        }
        target = try GoogleMessage.target(of: message)
        isOnlyValidated = document["validate_only"] == .bool(true) || document["validateOnly"] == .bool(true)
        try GoogleMessage.checkData(message["data"], path: "message.data")
        let android = message["android"]?.object
        try GoogleMessage.checkData(android?["data"], path: "message.android.data")
        try GoogleMessage.checkAndroid(android)
        try GoogleMessage.checkSize(message, isForDevice: message["token"] != nil)
        task = android?["notification"]?["tag"]?.text ?? message["data"]?["task_id"]?.text
    }

    private static func target(of message: JSONObject) throws(GoogleError) -> Target {
        let given = targets.filter { message[$0] != nil }
        guard given.count == 1, let text = message[given[0]]?.text, !text.isEmpty else {
            throw .badField("message", message: "Exactly one of token, topic or condition is required")
        }
        return given[0] == "token" ? .token(text) : .group("\(given[0]):\(text)")
    }

    private static func checkData(_ data: JSON?, path: String) throws(GoogleError) {
        guard let data, data != .null else { return }
        guard let members = data.object?.members else { throw .badField(path, message: "Data must be a map") }
        for (key, value) in members {
            guard value.text != nil else {
                throw .badField("\(path)[\(key)]", message: "Invalid value at '\(path)[\(key)]' (TYPE_STRING)")
            }
            if reservedKeys.contains(key) || reservedPrefixes.contains(where: { key.hasPrefix($0) }) {
                throw .badField("\(path)[\(key)]", message: "Invalid data payload key: \(key)")
            }
        }
    }

    private static func checkAndroid(_ android: JSONObject?) throws(GoogleError) {
        guard let android else { return }
        if let ttl = android["ttl"], !isTTL(ttl) {
            throw .badField("message.android.ttl", message: "Invalid ttl: at most 2419200s, as in \"3.5s\"")
        }
        if let priority = android["priority"], !["NORMAL", "HIGH", "normal", "high"].contains(priority.text) {
            throw .badField("message.android.priority", message: "Invalid value (TYPE_ENUM)")
        }
        if let notification = android["notification"]?.object { try checkAppearance(notification) }
    }

    private static func checkAppearance(_ notification: JSONObject) throws(GoogleError) {
        let path = "message.android.notification"
        if let name = AndroidAppearance.invalidMember(of: notification, timings: "vibrate_timings") {
            throw .badField("\(path).\(name)", message: "Invalid value at '\(path).\(name)'")
        }
        if let priority = notification["notification_priority"], !priorities.contains(priority.text ?? "") {
            throw .badField("\(path).notification_priority", message: "Invalid value (TYPE_ENUM)")
        }
    }

    private static func isTTL(_ value: JSON) -> Bool {
        guard let text = value.text, text.hasSuffix("s"), let seconds = Double(text.dropLast()) else { return false }
        return 0...ttlSecondsMaximum ~= seconds
    }

    private static func checkSize(_ message: JSONObject, isForDevice: Bool) throws(GoogleError) {
        let size = textBytes(message["data"]) + textBytes(message["notification"])
        if size > (isForDevice ? payloadBytesMaximum : topicPayloadBytesMaximum) {
            throw .badField("message", message: "Message too big: \(size) bytes")
        }
    }

    /// Bytes of the names and strings in an object and its values.
    private static func textBytes(_ value: JSON?) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .object(let object):
            object.members.reduce(0) { $0 + $1.name.utf8.count + textBytes($1.value) }
        case .array(let elements): elements.reduce(0) { $0 + textBytes($1) }
        case nil, .null, .bool, .integer, .unsigned, .number: 0
        }
    }
}
