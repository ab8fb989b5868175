package import JSONKit
package import PushModel

/// The content of a task: a message for some platforms, and payloads written by the publisher for single platforms,
/// which take precedence. A platform with neither is not targeted.
package struct TaskContent: Sendable, Equatable {
    package var message: PushMessage?
    /// Platforms of the message.
    package var platforms: Set<Platform> = []
    /// Unchanged payloads of the publisher: for `ios` the whole payload with `aps`, for `android` an object with
    /// `data`.
    package var payloads: [Platform: JSONObject] = [:]
    /// Values of `${var.name}` in the message's texts.
    package var variables: [String: String] = [:]
    /// The language of devices that have none; nil for the standard texts.
    package var fallbackLanguage: String?

    package init() {}

    package var targetedPlatforms: Set<Platform> {
        Set(payloads.keys).union(message == nil ? [] : platforms)
    }

    package var countsBadge: Bool { message?.badge == .increment }
}
