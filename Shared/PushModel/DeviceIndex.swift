/// A device's index in its app. Indexes are assigned densely and never reused, so that a push planned for one device
/// cannot reach another.
package struct DeviceIndex: Hashable, Comparable, Sendable {
    /// Number of devices in a segment: the unit of storage, parallelism and locality.
    package static let segmentCapacity = 4_096

    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package init(segment: SegmentNumber, offset: UInt16) {
        precondition(Int(offset) < DeviceIndex.segmentCapacity, "offset \(offset) is outside a segment")
        precondition(segment.rawValue <= SegmentNumber.maximum, "invalid segment number \(segment)")
        rawValue = segment.rawValue << 12 | UInt32(offset)
    }

    package var segment: SegmentNumber { SegmentNumber(rawValue: rawValue >> 12) }
    package var offset: UInt16 { UInt16(rawValue & 0xFFF) }

    package static func < (left: DeviceIndex, right: DeviceIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}

package struct SegmentNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// An index has 32 bits, twelve of which are the offset in the segment.
    package static let maximum: UInt32 = (1 << 20) - 1

    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static func < (left: SegmentNumber, right: SegmentNumber) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { String(rawValue) }
}

package struct SegmentID: Hashable, Sendable, CustomStringConvertible {
    package let app: AppID
    package let number: SegmentNumber

    package init(_ app: AppID, number: SegmentNumber) {
        self.app = app
        self.number = number
    }

    package var description: String { "\(app):\(number)" }
}
