import Bus
import ServiceKit

/// One partition: messages in offset order, trimmed at the front.
struct MemoryLog {
    private var messages: [IncomingMessage] = []
    private(set) var firstOffset: Int64 = 0
    private(set) var bytes = 0

    var nextOffset: Int64 { firstOffset + Int64(messages.count) }

    mutating func append(_ message: OutgoingMessage, to partition: PartitionID, now: Timestamp) -> MessagePosition {
        let position = MessagePosition(partition: partition.number, offset: nextOffset)
        messages.append(
            IncomingMessage(
                partition: partition, offset: nextOffset, key: message.key, value: message.value,
                headers: message.headers, timestamp: now))
        bytes += message.cost
        return position
    }

    func messages(from offset: Int64, bytesMaximum: Int) -> ArraySlice<IncomingMessage> {
        let start = Int(max(offset, firstOffset) - firstOffset)
        guard start < messages.count else { return [] }
        var end = start
        var taken = 0
        while end < messages.count, taken < bytesMaximum {
            taken += messages[end].cost
            end += 1
        }
        return messages[start..<end]
    }

    mutating func removeAll(before offset: Int64) {
        let count = Int(min(offset, nextOffset) - firstOffset)
        guard count > 0 else { return }
        bytes -= messages[..<count].reduce(0) { $0 + $1.cost }
        messages.removeFirst(count)
        firstOffset += Int64(count)
    }

    /// Removes the oldest messages while there are more bytes, none from the offset on.
    mutating func trim(to bytesMaximum: Int, before offset: Int64) {
        let endMaximum = Int(min(max(offset, firstOffset), nextOffset) - firstOffset)
        var end = 0
        var rest = bytes
        while rest > bytesMaximum, end < endMaximum {
            rest -= messages[end].cost
            end += 1
        }
        removeAll(before: firstOffset + Int64(end))
    }
}
