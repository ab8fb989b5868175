import Bus
import ServiceKit
import Topics

/// Messages as they lie in one stream entry: a version, how many, and then each with its lengths in front. One entry for
/// many messages is what makes a stream as cheap as a log.
enum MessageBatch {
    private static let version: UInt8 = 1

    /// Written by a later version of the house, and readable there.
    static func laterVersion(of bytes: [UInt8]) -> UInt8? {
        bytes.first.flatMap { $0 > version ? $0 : nil }
    }

    /// Adds one message as it lies inside a batch; it takes no more than its cost.
    static func append(_ message: OutgoingMessage, now: Timestamp, to bytes: inout [UInt8]) {
        bytes.appendLength(Int(now.milliseconds))
        if let key = message.key {
            bytes.appendLength(key.count + 1)
            bytes += key
        } else {
            bytes.appendLength(0)
        }
        bytes.appendLength(message.headers.count)
        for header in message.headers {
            bytes.appendLength(header.name.utf8.count)
            bytes += header.name.utf8
            bytes.appendLength(header.value.count)
            bytes += header.value
        }
        bytes.appendLength(message.value.count)
        bytes += message.value
    }

    static func entry(count: Int, frames: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = [version]
        bytes.reserveCapacity(frames.reduce(16) { $0 + $1.count })
        bytes.appendLength(count)
        for frame in frames { bytes += frame }
        return bytes
    }

    /// The messages of an entry whose id is `nextOffset`. Throws on any bytes that this code did not write.
    static func decode(
        _ bytes: [UInt8], partition: PartitionID, nextOffset: Int64
    ) throws(MalformedMessageError) -> [IncomingMessage] {
        var reader = ByteReader(bytes)
        guard try reader.byte() == version else { throw MalformedMessageError("a batch of an unknown version") }
        let count = try reader.length()
        // The least a message takes is a byte for each of its four lengths: a count beyond that is a lie, and not one to
        // reserve memory for.
        guard count <= bytes.count / 4 else { throw MalformedMessageError("a batch that claims \(count) messages") }
        var messages: [IncomingMessage] = []
        messages.reserveCapacity(count)
        for index in 0..<count {
            let timestamp = Timestamp(milliseconds: Int64(try reader.length()))
            let keyLength = try reader.length()
            let key = keyLength == 0 ? nil : try reader.bytes(keyLength - 1)
            var headers: [MessageHeader] = []
            for _ in 0..<(try reader.length()) {
                let name = OutsideText.replacing(try reader.bytes(try reader.length()))
                headers.append(MessageHeader(name, try reader.bytes(try reader.length())))
            }
            let value = try reader.bytes(try reader.length())
            messages.append(
                IncomingMessage(
                    partition: partition, offset: nextOffset - Int64(count - index), key: key, value: value,
                    headers: headers, timestamp: timestamp))
        }
        guard reader.isAtEnd else { throw MalformedMessageError("a batch with bytes left over") }
        return messages
    }
}

extension [UInt8] {
    /// Seven bits a byte, the lowest first, as in many formats.
    fileprivate mutating func appendLength(_ length: Int) {
        var rest = UInt(bitPattern: length)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

private struct ByteReader {
    private let content: [UInt8]
    private var position = 0

    init(_ content: [UInt8]) {
        self.content = content
    }

    var isAtEnd: Bool { position == content.count }

    mutating func byte() throws(MalformedMessageError) -> UInt8 {
        guard position < content.count else { throw MalformedMessageError("a batch that ends too early") }
        defer { position += 1 }
        return content[position]
    }

    mutating func length() throws(MalformedMessageError) -> Int {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            let next = try byte()
            result |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { return Int(result) }
        }
        throw MalformedMessageError("a length that does not end")
    }

    mutating func bytes(_ count: Int) throws(MalformedMessageError) -> [UInt8] {
        guard count >= 0, count <= content.count - position else {
            throw MalformedMessageError("a batch that ends too early")
        }
        defer { position += count }
        return Array(content[position..<(position + count)])
    }
}
