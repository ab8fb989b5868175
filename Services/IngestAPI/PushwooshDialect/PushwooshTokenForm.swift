import JSONKit
import PushModel
import ServiceKit

/// The token of a Live Activity that runs on a device.
struct PushwooshTokenForm: Sendable {
    let hwid: Alias
    let activity: ActivityID
    /// Nil if the activity is over.
    let token: PushToken?

    /// Nil if there are errors, which are added to the problems of the fields.
    init?(_ fields: JSONFields) {
        let activity = fields.text("activity_id", expected: ActivityID.rule, isRequired: true) { try? ActivityID($0) }
        let token = fields.activityToken("activity_token")
        guard let hwid = fields.hwid(), let activity, let token else { return nil }
        self.hwid = hwid
        self.activity = activity
        self.token = token.token
    }
}
