import RedisClient

/// The SHA-1 of a name chooses its bucket and field, so that callers who choose names cannot cause collisions with the
/// names of others.
struct NameDigest {
    private let bytes: [UInt8]

    init(_ name: [UInt8]) {
        bytes = SHA1.digest(name)
    }

    /// Six bytes other than those that chose the bucket. A collision with another name is detected in the record.
    var fieldBytes: [UInt8] { Array(bytes[..<6]) }
    var field: RedisArgument { RedisArgument(fieldBytes) }

    func bucket(of count: Int) -> Int {
        Int(bytes[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) % count
    }
}
