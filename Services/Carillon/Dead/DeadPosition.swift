import Bus
import CommandKit

/// Position of a message on `dead`, as printed by `dead list` and accepted by `show` and `replay`.
struct DeadPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    let partition: Int32
    let offset: Int64

    init(partition: Int32, offset: Int64) {
        self.partition = partition
        self.offset = offset
    }

    /// `PARTITION:OFFSET`
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]), partition >= 0,
            offset >= 0
        else { return nil }
        self.init(partition: partition, offset: offset)
    }

    init(of message: IncomingMessage) {
        self.init(partition: message.partition.number, offset: message.offset)
    }

    var description: String { "\(partition):\(offset)" }

    static func < (left: DeadPosition, right: DeadPosition) -> Bool {
        (left.partition, left.offset) < (right.partition, right.offset)
    }

    static func all(in operands: [String]) throws(UsageError) -> [DeadPosition] {
        var positions: [DeadPosition] = []
        for text in operands {
            guard let position = DeadPosition(text) else {
                throw UsageError("\"\(text)\" is not PARTITION:OFFSET, such as 0:17; see carillon dead list")
            }
            positions.append(position)
        }
        return positions
    }
}
