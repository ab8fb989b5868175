import ServiceKit

/// A partition of a topic as read by one consumer group.
package struct ConsumedPartition: Hashable, Sendable, CustomStringConvertible {
    package let group: String
    package let channel: String
    package let number: Int32

    package init(group: String, channel: String, number: Int32) {
        self.group = group
        self.channel = channel
        self.number = number
    }

    package var description: String { "\(group)/\(channel)/\(number)" }
}

/// Counts the starts of messages whose process ended before the message did, to find messages that kill every process
/// handling them.
///
/// A consumer opens a partition before it handles its first message and closes it when it is stopped. A partition left
/// open belonged to a process that died or lost it: its next owner counts each start, and takes the count back when the
/// message is handled or returned. An owner counts once for a message, however often it begins it: only starts of others
/// can have ended with their process. Losing the counts only delays the detection.
package protocol MessageStarts: Sendable {
    /// True if starts should be counted: the previous owner did not close the partition, or counts are left.
    func open(_ partition: ConsumedPartition, owner: String) async throws(StoreError) -> Bool
    /// Returns the number of counted starts of each message by other owners, and adds this owner's to each; if any message
    /// already has one of others, none is added, unless they are started `regardless`.
    func begin(
        _ offsets: [Int64], of partition: ConsumedPartition, owner: String, regardless: Bool
    ) async throws(StoreError) -> [Int]
    /// The messages are done: their counts are removed.
    func end(_ offsets: [Int64], of partition: ConsumedPartition) async throws(StoreError)
    /// The messages were not handled, and the process lives: removes the owner's start of each.
    func giveBack(_ offsets: [Int64], of partition: ConsumedPartition, owner: String) async throws(StoreError)
    /// Called at an orderly end: removes the owner's starts of unfinished messages. Ignored if another owner has the partition
    /// by now, except for the starts.
    func close(
        _ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]
    ) async throws(StoreError)
}

package enum MessageStartsBounds {
    /// A partition's counts are dropped after this time without a write.
    package static let memory = Duration.seconds(7 * 86_400)
    /// Starts kept of a message.
    package static let startsMaximum = 16
}
