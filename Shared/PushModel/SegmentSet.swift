/// A set of devices of one segment: 4,096 bits.
package struct SegmentSet: Hashable, Sendable {
    private static let wordCount = DeviceIndex.segmentCapacity / 64
    /// Its encoded size; the lowest offset is the lowest bit of the first byte.
    package static let bytesCount = DeviceIndex.segmentCapacity / 8

    private var words: [UInt64]

    package init() {
        words = [UInt64](repeating: 0, count: SegmentSet.wordCount)
    }

    package init(_ offsets: some Sequence<UInt16>) {
        self.init()
        for offset in offsets { insert(offset) }
    }

    /// Missing bytes at the end are zero, as Redis truncates bitmaps there; nil if there are too many.
    package init?(bytes: [UInt8]) {
        guard bytes.count <= SegmentSet.bytesCount else { return nil }
        self.init()
        for (position, byte) in bytes.enumerated() {
            words[position >> 3] |= UInt64(byte) << UInt64((position & 7) << 3)
        }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SegmentSet.bytesCount)
        for word in words { bytes.append(integer: word) }
        return bytes
    }

    package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    package func contains(_ offset: UInt16) -> Bool {
        words[Int(offset) >> 6] & 1 << UInt64(offset & 63) != 0
    }

    package mutating func insert(_ offset: UInt16) {
        words[Int(offset) >> 6] |= 1 << UInt64(offset & 63)
    }

    package mutating func remove(_ offset: UInt16) {
        words[Int(offset) >> 6] &= ~(1 << UInt64(offset & 63))
    }

    package mutating func formUnion(_ other: SegmentSet) {
        for position in words.indices { words[position] |= other.words[position] }
    }

    package mutating func formIntersection(_ other: SegmentSet) {
        for position in words.indices { words[position] &= other.words[position] }
    }

    package mutating func subtract(_ other: SegmentSet) {
        for position in words.indices { words[position] &= ~other.words[position] }
    }

    package func union(_ other: SegmentSet) -> SegmentSet {
        var result = self
        result.formUnion(other)
        return result
    }

    package func intersection(_ other: SegmentSet) -> SegmentSet {
        var result = self
        result.formIntersection(other)
        return result
    }

    package func subtracting(_ other: SegmentSet) -> SegmentSet {
        var result = self
        result.subtract(other)
        return result
    }

    /// In ascending order.
    package var offsets: [UInt16] {
        var offsets: [UInt16] = []
        offsets.reserveCapacity(count)
        for position in words.indices {
            var word = words[position]
            while word != 0 {
                offsets.append(UInt16(position << 6 + word.trailingZeroBitCount))
                word &= word - 1
            }
        }
        return offsets
    }
}
