import Apps
import PushModel
import ServiceKit

/// Who may give a device a user and identifiers. They address the device in tasks, so the one who chooses them receives
/// what is sent to that name.
enum DeviceNaming: Sendable {
    /// A private key names any user.
    case trusted
    /// A public key names the user that the publisher's backend has signed, and no identifiers. Nil if the app has no
    /// secret for that.
    case signed(UserTokenKey?, app: AppID, now: Timestamp)

    init(_ caller: AuthorizedCaller, now: Timestamp) {
        guard let terms = caller.publicKey else {
            self = .trusted
            return
        }
        self = .signed(terms.userTokenKey, app: caller.app.id, now: now)
    }
}

extension PushProtocol {
    /// An address from a public key may be any server of the registrant's choice. It is accepted for browsers, whose
    /// pushes are encrypted for their subscription; the others get what is sent to them in plain text.
    var isForPublicKeys: Bool {
        switch self {
        case .apns, .fcm, .huawei, .webpush: true
        case .wns, .mpns, .http, .liveActivity, .channel: false
        }
    }
}
