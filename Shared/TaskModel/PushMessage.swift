package import JSONKit

/// A notification or data for the app, for all platforms or for one of them.
package struct PushMessage: Sendable, Equatable {
    package enum Badge: Sendable, Hashable {
        case set(UInt32)
        /// The counter of each device plus one.
        case increment
    }

    package var title: LocalizedText?
    package var subtitle: LocalizedText?
    package var body: LocalizedText?
    /// Passed to the app unchanged.
    package var data = JSONObject()
    package var badge: Badge?
    package var sound: String?
    /// An https URL.
    package var image: String?
    /// An https URL that is opened when the notification is touched, where the platform can do that itself.
    package var url: String?
    /// Category by which the app groups notifications or offers actions.
    package var category: String?
    /// Wakes the app without showing anything.
    package var isSilent = false
    package var android: AndroidFields?
    package var apple: AppleFields?

    package init() {}
}
