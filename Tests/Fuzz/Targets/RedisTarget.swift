import ServiceKit

@testable import RedisClient

/// Replies are the same however the socket splits the bytes, and use no more memory than was received.
enum RedisTarget {
    private static let bytesMaximum = 1 << 20

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let piece = 1 + input.number(below: 32)
        let stream = input.remainder()
        let whole = replies(of: stream, piece: max(1, stream.count))
        let divided = replies(of: stream, piece: piece)
        try FuzzError.check(whole.values == divided.values, message: "pieces of \(piece) bytes give other replies")
        try FuzzError.check(
            whole.error == divided.error, message: "\(whole.error ?? "none") and \(divided.error ?? "none")")
        let count = whole.values.reduce(0) { $0 + size($1) }
        try FuzzError.check(count <= stream.count, message: "\(stream.count) bytes give \(count) values")
    }

    static func replies(of stream: [UInt8], piece: Int) -> (values: [RedisValue], error: String?) {
        let reader = RedisReplyReader(bytesMaximum: bytesMaximum)
        var values: [RedisValue] = []
        do {
            for part in stream.chunks(of: piece) {
                try part.withUnsafeBytes { try reader.feed($0) }
                while let value = try reader.next() { values.append(value) }
            }
            return (values, nil)
        } catch {
            return (values, "\(error)")
        }
    }

    /// The number of values and their bytes.
    private static func size(_ value: RedisValue) -> Int {
        switch value {
        case .null, .integer: 1
        case .status(let text), .error(let text): 1 + text.utf8.count / 3
        case .bytes(let bytes): 1 + bytes.count
        case .array(let elements): elements.reduce(1) { $0 + size($1) }
        }
    }
}
