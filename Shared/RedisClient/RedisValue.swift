import ServiceKit

/// One reply, or one element of an array reply.
package enum RedisValue: Sendable, Equatable {
    case null
    case integer(Int64)
    /// A short line such as `OK`.
    case status(String)
    case bytes([UInt8])
    case array([RedisValue])
    /// An error inside an array; an error that is the whole reply is thrown instead.
    case error(String)
}

extension RedisValue {
    /// The text of a bulk string or a status. Characters not allowed in external text are replaced.
    package var string: String? {
        switch self {
        case .bytes(let bytes): OutsideText.replacing(bytes)
        case .status(let line): line
        case .null, .integer, .array, .error: nil
        }
    }

    package var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .status(let line): Array(line.utf8)
        case .null, .integer, .array, .error: nil
        }
    }

    /// The number of an integer reply, or of a bulk string that contains one, as from `GET` of a counter.
    package var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes: string.flatMap { Int64($0) }
        case .null, .status, .array, .error: nil
        }
    }

    package var array: [RedisValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    package var isNull: Bool { self == .null }
}
