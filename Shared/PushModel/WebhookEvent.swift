/// What a request to a webhook tells. The raw value is in requests and messages and must not change.
package enum WebhookEvent: String, CaseIterable, Sendable {
    /// States of messages.
    case messageStatus = "message_status"
    /// Devices that changed their class.
    case deviceTransition = "device_transition"
}
