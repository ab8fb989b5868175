import RedisClient

/// Where a name stands: SHA-1 chooses the bucket and the field, so that nobody who may choose names can make them meet
/// those of others.
struct NameDigest {
    private let bytes: [UInt8]

    init(_ name: [UInt8]) {
        bytes = SHA1.digest(name)
    }

    /// Six bytes, beside those that chose the bucket: whoever meets another's name here is told apart by the record.
    var field: RedisArgument { RedisArgument(Array(bytes[..<6])) }

    func bucket(of count: Int) -> Int {
        Int(bytes[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) % count
    }
}
