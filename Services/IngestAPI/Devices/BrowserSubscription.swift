import JSONKit
import PushModel

/// A browser's `PushSubscription`, as its `toJSON()` describes it. Members without a use here, such as `expirationTime`,
/// are ignored: browsers may add some.
struct BrowserSubscription: Sendable, Equatable {
    static let rule = "the browser's PushSubscription.toJSON()"

    let token: PushToken
    let keys: WebPushKeys

    /// Nil if anything is missing or invalid; that is added to the problems of the fields.
    init?(_ fields: JSONFields, addresses: DeviceAddressRules) {
        let token = fields.checked("endpoint", isRequired: true) { text throws(InvalidValueError) in
            try addresses.token(.webpush, text: text)
        }
        let keys = fields.object("keys", isRequired: true)
        let publicKey = keys?.checked("p256dh", isRequired: true, SubscriptionKeyText.publicKey)
        let secret = keys?.checked("auth", isRequired: true, SubscriptionKeyText.secret)
        guard let token, let publicKey, let secret, let keys = WebPushKeys(publicKey: publicKey, secret: secret) else {
            return nil
        }
        self.token = token
        self.keys = keys
    }
}
