package import ServiceKit

/// States that are posted together, byte for byte the same in every attempt.
package struct OutboxBatch: Hashable, Sendable {
    package let id: String
    /// A JSON array.
    package let body: [UInt8]
    package let count: Int
    /// When the first of its states was appended.
    package let since: Timestamp
    /// True if more states wait behind it than an app may have.
    package let isCrowded: Bool

    package init(id: String, body: [UInt8], count: Int, since: Timestamp, isCrowded: Bool) {
        self.id = id
        self.body = body
        self.count = count
        self.since = since
        self.isCrowded = isCrowded
    }
}

package enum OutboxBounds {
    package static let batchStatesMaximum = 100
    /// A batch fits on the bus as a dead letter, and a state with the largest task too. A larger state is alone.
    package static let batchBytesMaximum = 192 << 10
    /// Waiting states of a queue. Above this its batches are given up at once, so that it becomes shorter faster than
    /// the same processes append.
    package static let queueBytesMaximum = 16 << 20
    /// How long after the deadline of a message its states are still told, and after the first transition of a device
    /// its repeats are recognized.
    package static let retention = Duration.seconds(8 * 86_400)
}
