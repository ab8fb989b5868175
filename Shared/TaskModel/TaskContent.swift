package import JSONKit
package import PushModel

/// The content of a task: a message for some platforms, and payloads written by the publisher for single platforms,
/// which take precedence. A platform with neither is not targeted.
package struct TaskContent: Sendable, Equatable {
    package var message: PushMessage?
    /// Platforms of the message.
    package var platforms: Set<Platform> = []
    /// Unchanged payloads of the publisher: for `ios` the whole payload with `aps`, for `android` and `windows` an
    /// object with `data` or `notification`, for `web` and `http` the whole text.
    package var payloads: [Platform: JSONObject] = [:]
    /// Values of `${var.name}` in the message's texts.
    package var variables: [String: String] = [:]
    /// The language of devices that have none; nil for the standard texts.
    package var fallbackLanguage: String?
    /// The app's address that a notification on the web opens if the message has none.
    package var navigate: String?
    /// True if the alert of Apple devices is the message's body as a string: without its title, as apps of pushd read
    /// it.
    package var hasPlainAppleAlert = false
    /// True if a notification also wakes the app of Apple devices.
    package var wakesAppleApp = false

    package init() {}

    package var targetedPlatforms: Set<Platform> {
        Set(payloads.keys).union(message == nil ? [] : platforms)
    }

    package var countsBadge: Bool { message?.badge == .increment }
}
