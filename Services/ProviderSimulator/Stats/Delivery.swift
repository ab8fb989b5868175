/// One push that reached one device.
struct Delivery: Sendable, Equatable {
    /// The device's token.
    let device: String
    /// What tells this push from others to the same device, where the sender gave it such a name: Apple's `apns-id`, a
    /// task elsewhere. The same one twice for a device is a push that was repeated.
    let mark: String?
    /// Which task it belongs to, as far as the request shows: the collapse id or tag, or a `task_id` in the payload.
    let task: String?
}
