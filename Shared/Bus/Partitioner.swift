/// Chooses a partition as Kafka's Java client does (murmur2 of the key), so that a key has the same partition with
/// every client and driver. Only the bytes before the first zero byte of a key count: records that compaction must
/// distinguish can share a partition, and with it their order.
package enum Partitioner {
    package static func partition(ofKey key: [UInt8], count: Int) -> Int32 {
        Int32(Int(murmur2(key.prefix { $0 != 0 }) & 0x7FFF_FFFF) % count)
    }

    package static func murmur2(_ bytes: [UInt8]) -> UInt32 {
        murmur2(bytes[...])
    }

    private static func murmur2(_ slice: ArraySlice<UInt8>) -> UInt32 {
        slice.withUnsafeBufferPointer { murmur2($0) }
    }

    private static func murmur2(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let multiplier: UInt32 = 0x5BD1_E995
        var hash = UInt32(0x9747_B28C) ^ UInt32(truncatingIfNeeded: bytes.count)
        var index = 0
        while index + 4 <= bytes.count {
            var block =
                UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
                | UInt32(bytes[index + 3]) << 24
            block = block &* multiplier
            block ^= block >> 24
            hash = (hash &* multiplier) ^ (block &* multiplier)
            index += 4
        }
        let rest = bytes.count - index
        if rest > 0 {
            for position in stride(from: rest - 1, through: 0, by: -1) {
                hash ^= UInt32(bytes[index + position]) << (8 * UInt32(position))
            }
            hash = hash &* multiplier
        }
        hash ^= hash >> 13
        hash = hash &* multiplier
        return hash ^ (hash >> 15)
    }
}
