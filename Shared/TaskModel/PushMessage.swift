package import JSONKit

/// What is to be shown or handed to the app, written once for all platforms.
package struct PushMessage: Sendable, Equatable {
    package enum Badge: Sendable, Hashable {
        case set(UInt32)
        /// One more for each device, counted here.
        case increment
    }

    package var title: LocalizedText?
    package var subtitle: LocalizedText?
    package var body: LocalizedText?
    /// Handed to the app as it is.
    package var data = JSONObject()
    package var badge: Badge?
    package var sound: String?
    /// An https address.
    package var image: String?
    /// What the app groups notifications by, or offers actions for.
    package var category: String?
    /// Nothing is shown; the app is woken.
    package var isSilent = false

    package init() {}
}
