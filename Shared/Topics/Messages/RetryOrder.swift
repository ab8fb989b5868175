package import PushModel

/// Devices a sender hands back, to be tried again when they are due. It names devices only: they are looked up, rendered
/// and checked again.
package struct RetryOrder: TopicMessage, Hashable {
    private static let format: UInt8 = 1

    package let task: TaskID
    package let segment: SegmentID
    /// The attempt that comes next.
    package let attempt: UInt8
    /// Milliseconds since 1970.
    package let due: Int64
    package let offsets: [UInt16]

    package init(task: TaskID, segment: SegmentID, attempt: UInt8, due: Int64, offsets: [UInt16]) {
        self.task = task
        self.segment = segment
        self.attempt = attempt
        self.due = due
        self.offsets = offsets
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = [RetryOrder.format]
        bytes.append(contentsOf: task.bytes)
        bytes.append(counted: segment.app.text.utf8)
        bytes.append(integer: segment.number.rawValue)
        bytes.append(attempt)
        bytes.append(integer: due)
        bytes.append(variableInteger: offsets.count)
        for offset in offsets { bytes.append(integer: offset) }
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        var reader = ByteReader(bytes)
        guard let order = RetryOrder(from: &reader), reader.isAtEnd else {
            throw MalformedMessage("no retry order of a known format")
        }
        self = order
    }

    private init?(from reader: inout ByteReader) {
        guard reader.byte() == RetryOrder.format, let task = reader.bytes(16).flatMap({ TaskID(bytes: Array($0)) }),
            let app = reader.text().flatMap({ try? AppID($0) }), let number = reader.integer(UInt32.self),
            number <= SegmentNumber.maximum, let attempt = reader.byte(), let due = reader.integer(Int64.self),
            let count = reader.variableInteger(), count <= DeviceIndex.segmentCapacity
        else { return nil }
        let offsets = (0..<count).compactMap { _ in reader.integer(UInt16.self) }
        guard offsets.count == count, offsets.allSatisfy({ Int($0) < DeviceIndex.segmentCapacity }) else { return nil }
        self.init(
            task: task, segment: SegmentID(app, SegmentNumber(rawValue: number)), attempt: attempt, due: due,
            offsets: offsets)
    }
}
