import Bus
import ServiceKit
import Topics

/// The encoding of one stream entry: a version, the number of messages, and then each message with its lengths in
/// front. Many messages in one entry make a stream as cheap as a log.
enum MessageBatch {
    private static let version: UInt8 = 1

    /// The batch's version if a later version of Carillon wrote it.
    static func laterVersion(of bytes: [UInt8]) -> UInt8? {
        bytes.first.flatMap { $0 > version ? $0 : nil }
    }

    /// Appends one message in its encoding inside a batch; it takes at most its cost.
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

    /// Decodes the messages of an entry whose id is `nextOffset`. Throws on malformed bytes.
    static func decode(
        _ bytes: [UInt8], partition: PartitionID, nextOffset: Int64
    ) throws(MalformedMessageError) -> [IncomingMessage] {
        var reader = ByteReader(bytes)
        guard try reader.byte() == version else { throw MalformedMessageError("unknown batch version") }
        let count = try reader.length()
        // A message takes at least a byte for each of its four lengths: a larger count is invalid, and no memory is
        // reserved for it.
        guard count <= bytes.count / 4 else { throw MalformedMessageError("invalid message count \(count) in a batch") }
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
        guard reader.isAtEnd else { throw MalformedMessageError("trailing bytes after a batch") }
        return messages
    }
}

extension [UInt8] {
    /// Seven bits in each byte, lowest first, as in many formats.
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
        guard position < content.count else { throw MalformedMessageError("truncated batch") }
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
        throw MalformedMessageError("unterminated length in a batch")
    }

    mutating func bytes(_ count: Int) throws(MalformedMessageError) -> [UInt8] {
        guard count >= 0, count <= content.count - position else {
            throw MalformedMessageError("truncated batch")
        }
        defer { position += count }
        return Array(content[position..<(position + count)])
    }
}
