package import JSONKit

/// What a task sends: a message for some platforms, and payloads that the publisher wrote for a platform itself, which
/// come first. A platform with neither is not targeted.
package struct TaskContent: Sendable, Equatable {
    package var message: PushMessage?
    /// Where the message goes.
    package var platforms: Set<Platform> = []
    /// As the publisher wrote them: for `ios` the whole payload with `aps`, for `android` an object with `data`.
    package var payloads: [Platform: JSONObject] = [:]
    /// What `${var.name}` stands for in the message's texts.
    package var variables: [String: String] = [:]

    package init() {}

    package var targetedPlatforms: Set<Platform> {
        Set(payloads.keys).union(message == nil ? [] : platforms)
    }

    package var countsBadge: Bool { message?.badge == .increment }
}
