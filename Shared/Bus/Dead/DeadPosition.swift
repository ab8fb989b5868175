/// Position of a message on `dead`: what a list of dead letters shows, and what shows and replays one accept.
package struct DeadPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let partition: Int32
    package let offset: Int64

    package init(partition: Int32, offset: Int64) {
        self.partition = partition
        self.offset = offset
    }

    /// `PARTITION:OFFSET`
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]), partition >= 0,
            offset >= 0
        else { return nil }
        self.init(partition: partition, offset: offset)
    }

    package init(of message: IncomingMessage) {
        self.init(partition: message.partition.number, offset: message.offset)
    }

    package var description: String { "\(partition):\(offset)" }

    package static func < (left: DeadPosition, right: DeadPosition) -> Bool {
        (left.partition, left.offset) < (right.partition, right.offset)
    }
}
