package import PushModel

/// Read access for the resolver: segment by segment, in packed form.
package protocol RegistryReader: Sendable {
    /// The segments that may hold members, in ascending order; none is missing.
    func segments(of audience: Audience, in app: AppID) async throws(StoreError) -> [SegmentNumber]
    func select(_ audience: Audience, in segment: SegmentID) async throws(StoreError) -> AudienceSelection
    /// The records of the live devices among the offsets, in ascending order.
    func devices(at offsets: SegmentSet, in segment: SegmentID) async throws(StoreError) -> PackedDevices
    /// Counted on each call, segment by segment.
    func size(of audience: Audience, in app: AppID) async throws(StoreError) -> Int
}

/// Devices of one segment in stored form, in one buffer: a broadcast reads millions of them, and most stages only pass
/// them on.
package struct PackedDevices: Hashable, Sendable {
    package private(set) var offsets: [UInt16] = []
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    package init() {}

    package var count: Int { offsets.count }

    package mutating func append(offset: UInt16, record: some Collection<UInt8>) {
        offsets.append(offset)
        bytes.append(contentsOf: record)
        ends.append(bytes.count)
    }

    package func record(at position: Int) -> ArraySlice<UInt8> {
        bytes[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
    }

    /// Nil if the record cannot be decoded.
    package func device(at position: Int) -> Device? {
        Device(packed: record(at: position))
    }
}
