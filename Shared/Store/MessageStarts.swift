import ServiceKit

/// A partition of a topic as one consumer group reads it.
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

/// How often messages were started by processes that ended before the message did, so that a message that ends every
/// process which handles it is found.
///
/// A consumer opens a partition before it handles its first message of it and closes it when it is told to end. One that
/// was not closed belonged to a process that died, or lost the partition: its next owner counts each start, and takes the
/// count back when the message is handled or returned. Losing the counts only delays the finding.
package protocol MessageStarts: Sendable {
    /// True when starts should be counted: another owner did not close the partition, or counts are left.
    func open(_ partition: ConsumedPartition, owner: String) async throws(StoreError) -> Bool
    /// Returns how many starts of each message are counted, and counts one more of each; where any of them has one
    /// already it counts none, unless they are started `regardless`.
    func begin(
        _ offsets: [Int64], of partition: ConsumedPartition, regardless: Bool
    ) async throws(StoreError) -> [Int]
    /// The messages are done: their counts are removed.
    func end(_ offsets: [Int64], of partition: ConsumedPartition) async throws(StoreError)
    /// The messages were not handled, and the process lives: one start of each is taken back.
    func giveBack(_ offsets: [Int64], of partition: ConsumedPartition) async throws(StoreError)
    /// An owner that ends in good order: it gives back what it has started. Ignored where another one is the owner by now,
    /// but for what is given back.
    func close(
        _ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]
    ) async throws(StoreError)
}

package enum MessageStartsBounds {
    /// What is known of a partition is forgotten when nothing was written for so long.
    package static let memory = Duration.seconds(7 * 86_400)
}
