/// One command, encoded once into the bytes that go over the wire.
package struct RedisCommand: Sendable, Equatable {
    let encoded: [UInt8]
    /// Set by `routed(by:)`.
    var explicitKey: [UInt8]?

    /// The name and its arguments, such as `RedisCommand("SET", "greeting", RedisArgument(bytes))`.
    package init(_ parts: RedisArgument...) {
        self.init(parts)
    }

    package init(_ parts: [RedisArgument]) {
        precondition(!parts.isEmpty, "a command has a name")
        // Room for the lengths and line ends too, so that the array is allocated once.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(16) { $0 + $1.count + 16 })
        RedisCommand.append("*", number: parts.count, to: &bytes)
        for part in parts {
            RedisCommand.append("$", number: part.count, to: &bytes)
            switch part.content {
            case .text(let text): bytes.append(contentsOf: text.utf8)
            case .bytes(let content): bytes.append(contentsOf: content)
            }
            bytes.append(contentsOf: RedisCommand.lineEnd)
        }
        encoded = bytes
    }

    private static let lineEnd = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]

    private static func append(_ mark: Unicode.Scalar, number: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: mark))
        if number < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
        } else {
            bytes.append(contentsOf: String(number).utf8)
        }
        bytes.append(contentsOf: lineEnd)
    }
}
