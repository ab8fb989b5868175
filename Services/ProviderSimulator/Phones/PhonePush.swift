/// A push on its way to a phone.
struct PhonePush: Sendable {
    enum Target: Sendable {
        /// The push-to-start token.
        case start
        /// The activity with this serial, by its token or channel.
        case activity(UInt32)
    }

    /// The phone's number.
    let phone: Int
    let target: Target
    /// Nil for a payload that the phone drops.
    let content: LiveActivityPush?
}
