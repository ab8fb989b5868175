package import JSONKit
package import PushModel

/// The content of a task: a message for some platforms, messages for single platforms, which take precedence over it,
/// and payloads written by the publisher for single platforms, which take precedence over both. A platform with none of
/// them is not targeted.
package struct TaskContent: Sendable, Equatable {
    package var message: PushMessage?
    /// Platforms of the message.
    package var platforms: Set<Platform> = []
    package var messages: [Platform: PushMessage] = [:]
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

    /// What a Live Activity gets. For its start the task's devices are ordinary ones: those with a token that starts such
    /// activities get this, others the message. For its updates and its end they are the tokens and channels in the
    /// app's space of activities.
    package var activity: ActivityContent?

    package init() {}

    package var targetedPlatforms: Set<Platform> {
        Set(payloads.keys).union(messages.keys).union(message == nil ? [] : platforms)
            .union(activity == nil ? [] : [.ios])
    }

    /// True if devices of this protocol have a content, whatever tokens they have besides.
    package func hasContent(for kind: PushProtocol) -> Bool {
        switch kind {
        case .liveActivity, .channel: activity != nil
        case .apns, .fcm, .huawei, .webpush, .wns, .mpns, .http:
            payloads[Platform(kind)] != nil || message(for: Platform(kind)) != nil
        }
    }

    /// The type of the activity that the task starts.
    package var startedType: ActivityType? { activity?.event == .start ? activity?.type : nil }

    package var hasMessage: Bool { message != nil || !messages.isEmpty }

    /// What the platform's devices get unless it has a payload.
    package func message(for platform: Platform) -> PushMessage? {
        messages[platform] ?? (platforms.contains(platform) ? message : nil)
    }

    /// Also for a payload of the platform, which has no fields for this.
    package func delivery(on platform: Platform) -> PlatformDelivery {
        leadingMessage(on: platform)?.delivery(on: platform) ?? PlatformDelivery()
    }

    /// True if each device of the platform gets its own badge count, in a message or a payload.
    package func countsBadge(on platform: Platform) -> Bool { leadingMessage(on: platform)?.badge == .increment }

    /// The message that says how payloads of the platform are delivered, which may be sent to other platforms only.
    private func leadingMessage(on platform: Platform) -> PushMessage? { messages[platform] ?? message }
}
