/// A push that a provider accepted.
package struct JudgedPush: Sendable {
    package let time: Duration
    /// The process that sent it.
    package let sender: String
    /// True if the provider did not answer that it accepted it.
    package let isUnanswered: Bool
    /// True if it shows another text than the task has for the device.
    package var hasOtherText = false

    package init(time: Duration, sender: String, isUnanswered: Bool = false) {
        self.time = time
        self.sender = sender
        self.isUnanswered = isUnanswered
    }
}
