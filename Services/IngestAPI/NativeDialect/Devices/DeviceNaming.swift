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
    /// The address of an `http` device is any server of the registrant's choice, to which the sender then posts.
    var isForPublicKeys: Bool { self != .http }
}
