/// One push that reached one device.
struct Delivery: Sendable, Equatable {
    /// The device's token.
    let device: String
    /// Identifies this push among those to the same device, if the sender gave it an id: Apple's `apns-id`, a task
    /// elsewhere. The same mark twice for a device is a duplicate push.
    let mark: String?
    /// The task of the push, as far as the request shows: the collapse id or tag, or a `task_id` in the payload.
    let task: String?
}
