package import PushModel
package import ServiceKit

/// A state of a message, encoded for its webhook.
package struct MessageState: Hashable, Sendable {
    /// Unique in the message: a state with the name of an earlier one is dropped.
    package let name: String
    /// A JSON object.
    package let bytes: [UInt8]

    package init(_ name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

/// A message whose states are told.
package struct OutboxMessage: Hashable, Sendable {
    package let task: TaskID
    package let app: AppID
    package let head: [UInt8]
    /// Until when its head and the names of its states are kept, from its first state on.
    package let end: Timestamp

    package init(_ task: TaskID, of app: AppID, head: [UInt8], end: Timestamp) {
        self.task = task
        self.app = app
        self.head = head
        self.end = end
    }

    package var queue: OutboxQueue { OutboxQueue(app, in: OutboxShard(of: task)) }
}
