package import PushModel
package import ServiceKit

/// Read access for the resolver: segment by segment, in packed form.
package protocol RegistryReader: Sendable {
    /// The segments that may hold members, in ascending order; none is missing.
    func segments(of audience: Audience, in app: AppID) async throws(StoreError) -> [SegmentNumber]
    /// The live devices of each segment, and its subscribers of the topics.
    func members(
        of topics: [TopicName], in segments: [SegmentNumber], of app: AppID
    ) async throws(StoreError) -> [SegmentMembers]
    /// The records of the live devices among the offsets, in ascending order.
    func devices(at offsets: SegmentSet, in segment: SegmentID) async throws(StoreError) -> PackedDevices
}

extension RegistryReader {
    /// Segments whose members are read together.
    private static var segmentsAtOnce: Int { 64 }

    /// Reads records only if the audience has filters; their relative times are counted from the moment.
    package func select(
        _ audience: Audience, in segment: SegmentID, at moment: Timestamp
    ) async throws(StoreError) -> AudienceSelection {
        guard let found = try await members(of: audience.topics, in: [segment.number], of: segment.app).first else {
            return AudienceSelection(members: SegmentSet(), silent: SegmentSet())
        }
        return try await select(audience, from: found, in: segment, at: moment)
    }

    /// Counted on each call, segment by segment.
    package func size(
        of audience: Audience, in app: AppID, at moment: Timestamp
    ) async throws(StoreError) -> Int {
        var size = 0
        for part in try await segments(of: audience, in: app).chunks(of: Self.segmentsAtOnce).map(Array.init) {
            for (number, found) in zip(part, try await members(of: audience.topics, in: part, of: app)) {
                let segment = SegmentID(app, number: number)
                size += try await select(audience, from: found, in: segment, at: moment).members.count
            }
        }
        return size
    }

    /// The number of selected devices of each protocol. Reads the records of all that the audience may select.
    package func protocols(
        of audience: Audience, in segment: SegmentID, at moment: Timestamp
    ) async throws(StoreError) -> [PushProtocol: Int] {
        guard let found = try await members(of: audience.topics, in: [segment.number], of: segment.app).first else {
            return [:]
        }
        let records = try await devices(
            at: audience.widest(live: found.live, members: found.topics), in: segment)
        let selection = audience.select(
            live: found.live, members: found.topics, matching: records.matches(of: audience.filters, at: moment))
        var counts: [PushProtocol: Int] = [:]
        for (position, offset) in records.offsets.enumerated() where selection.members.contains(offset) {
            guard let head = Device.PackedHead(records.record(at: position)) else { continue }
            counts[head.kind, default: 0] += 1
        }
        return counts
    }

    private func select(
        _ audience: Audience, from found: SegmentMembers, in segment: SegmentID, at moment: Timestamp
    ) async throws(StoreError) -> AudienceSelection {
        let filters = audience.filters
        guard !filters.isEmpty else { return audience.select(live: found.live, members: found.topics) }
        let records = try await devices(
            at: audience.widest(live: found.live, members: found.topics), in: segment)
        return audience.select(
            live: found.live, members: found.topics, matching: records.matches(of: filters, at: moment))
    }
}

/// The same for audiences without filters, which do not depend on the time.
extension RegistryReader {
    package func select(
        _ audience: Audience, in segment: SegmentID
    ) async throws(StoreError) -> AudienceSelection {
        precondition(audience.filters.isEmpty, "an audience with filters is evaluated at a time")
        return try await select(audience, in: segment, at: Timestamp(milliseconds: 0))
    }

    package func size(of audience: Audience, in app: AppID) async throws(StoreError) -> Int {
        precondition(audience.filters.isEmpty, "an audience with filters is evaluated at a time")
        return try await size(of: audience, in: app, at: Timestamp(milliseconds: 0))
    }
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

    /// The devices that match each filter. A record that is not a device matches none.
    package func matches(of filters: Set<DeviceFilter>, at moment: Timestamp) -> [DeviceFilter: SegmentSet] {
        var matches = filters.map { (filter: $0, devices: SegmentSet()) }
        for (position, offset) in offsets.enumerated() {
            guard let device = DeviceGlance(packed: record(at: position)) else { continue }
            for place in matches.indices where matches[place].filter.matches(device, at: moment) {
                matches[place].devices.insert(offset)
            }
        }
        return Dictionary(uniqueKeysWithValues: matches.map { ($0.filter, $0.devices) })
    }
}
