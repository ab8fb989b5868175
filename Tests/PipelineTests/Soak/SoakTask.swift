import PushModel
import ServiceKit

/// A task that the publisher was told is accepted.
struct SoakTask: Sendable {
    let id: TaskID
    let order: SoakOrder
    /// When its first request was sent.
    let posted: Timestamp
    let accepted: Timestamp
    /// When it is to be sent, if not immediately.
    let begins: Timestamp?
    /// When the publisher was told that it is cancelled.
    var cancelled: Timestamp?
}
