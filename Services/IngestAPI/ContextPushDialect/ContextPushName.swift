import JSONKit
import PushModel
import Signing
import TaskModel
import Topics

/// What both requests name a message by. Errors are added to the problems of the fields.
struct ContextPushName: Sendable {
    static let keyBytesMaximum = 256
    private static let platforms = Platform.supported.map(\.rawValue).joined(separator: ", ")

    let platform: Platform
    let user: Alias
    let campaign: String
    /// The publisher's; nil if the request has none.
    let key: String?

    /// Nil if there are errors.
    init?(_ fields: JSONFields, requiresKey: Bool) {
        let platform = fields.text("platform", expected: "one of \(ContextPushName.platforms)", isRequired: true) {
            Platform(rawValue: $0)
        }
        let user = fields.text(
            "user_id", expected: "a string of 1 to \(Alias.bytesMaximum) bytes without control characters",
            isRequired: true
        ) { try? Alias(.externalUser, value: $0) }
        let campaign = fields.text(
            "campaign_id", expected: "a string of \(TaskLabels.valueRule)", isRequired: true
        ) { TaskLabels.isValue($0) ? $0 : nil }
        key = fields.text(
            "idempotency_key",
            expected: "a string of 1 to \(ContextPushName.keyBytesMaximum) bytes without control characters",
            isRequired: requiresKey
        ) { ContextPushName.isKey($0) ? $0 : nil }
        guard let platform, let user, let campaign else { return nil }
        self.platform = platform
        self.user = user
        self.campaign = campaign
    }

    /// The message's key among all tasks of the app; nil for a message without a key of the publisher.
    func replacementKey(in app: AppID) -> ReplacementKey? {
        guard let key else { return nil }
        var bytes: [UInt8] = []
        // Each with its length, so that no two names run into the same bytes.
        for part in [app.text, platform.rawValue, user.value, campaign, key] { bytes.append(counted: part.utf8) }
        return try? ReplacementKey(Base64URL.encode(SHA256.digest(of: bytes)), of: app)
    }

    private static func isKey(_ text: String) -> Bool {
        1...keyBytesMaximum ~= text.utf8.count && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
