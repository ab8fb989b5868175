import JSONKit

/// The keys of a simulated browser's subscription, in the form in which a page registers them.
struct DemoBrowserKeys: Sendable, Equatable {
    let publicKey: String
    let secret: String

    /// Nil for anything but a subscription.
    init?(_ subscription: JSON) {
        guard let keys = subscription["keys"], let publicKey = keys["p256dh"]?.text, let secret = keys["auth"]?.text
        else { return nil }
        self.publicKey = publicKey
        self.secret = secret
    }
}
