import PushModel
import RedisClient
import ServiceKit
import Store

/// Opens segments and allocates device indices in small batches, so that a registration seldom waits for it.
///
/// A segment's header is created before the app counts it, so that no counted segment lacks one. A few segments are
/// open at a time, so that the load of a launch day is not on one slot; a small app has one.
struct SegmentAllocator: Sendable {
    struct Standing {
        /// Number of segments.
        let count: UInt32
        /// Those with indices for new devices.
        let open: [SegmentNumber]
    }

    private static let batch = 16
    static let openWanted = 8
    /// The next segment is opened once a segment has allocated this many indices.
    private static let spreadFrom = 512
    /// Maximum number of indices allocated before a rebuild whose records are not yet in the log.
    private static let placesOnTheirWay = 256
    private static let roundsMaximum = 64
    private static let openedAtOnce = 1_024

    let root: RegistryRoot
    let random: any RandomSource
    private var redis: StoreConnection { root.redis }

    /// The app must have been entered.
    func place(in scope: AppScope) async throws(StoreError) -> DeviceIndex {
        if let place = scope.generation.places.take(for: scope.app) { return place }
        var places = try await newPlaces(upTo: SegmentAllocator.batch, in: scope)
        let place = places.removeLast()
        scope.generation.places.put(places, for: scope.app)
        return place
    }

    /// Many indices, of few segments. The app must have been entered.
    func places(_ count: Int, in scope: AppScope) async throws(StoreError) -> [DeviceIndex] {
        var places: [DeviceIndex] = []
        while places.count < count, let place = scope.generation.places.take(for: scope.app) { places.append(place) }
        while places.count < count {
            places += try await newPlaces(upTo: min(count - places.count, DeviceIndex.segmentCapacity), in: scope)
        }
        return places
    }

    /// At least one index of an open segment, the lowest one last.
    private func newPlaces(upTo count: Int, in scope: AppScope) async throws(StoreError) -> [DeviceIndex] {
        for _ in 0..<SegmentAllocator.roundsMaximum {
            let standing = try await standing(of: scope)
            guard !standing.open.isEmpty else {
                try await open([SegmentNumber(rawValue: standing.count)], in: scope, forRegistrations: true)
                continue
            }
            let segment = standing.open[Int(random.next() % UInt64(standing.open.count))]
            let places = try await allocate(count, in: scope.segment(segment), scope: scope)
            if places.count < count { try await close(segment, in: scope) }
            guard let lowest = places.last else { continue }
            if Int(lowest.offset) >= SegmentAllocator.spreadFrom, standing.open.count < SegmentAllocator.openWanted {
                try await open([SegmentNumber(rawValue: standing.count)], in: scope, forRegistrations: true)
            }
            return places
        }
        throw StoreError(.unavailable, message: "all open segments of \(scope.app) filled up concurrently; retry")
    }

    func giveBack(_ place: DeviceIndex, in scope: AppScope) {
        scope.generation.places.put([place], for: scope.app)
    }

    /// Number of segments; zero for an app that was never used.
    func count(in scope: AppScope) async throws(StoreError) -> UInt32 {
        try await standing(of: scope).count
    }

    /// Creates all segments up to this one, which records of the log refer to. The app must have been entered.
    func ensure(_ segment: SegmentNumber, in scope: AppScope) async throws(StoreError) {
        guard segment.rawValue >= scope.generation.segments.count(of: scope.app) else { return }
        let count = try await count(in: scope)
        guard segment.rawValue >= count else { return }
        for first in stride(from: count, through: segment.rawValue, by: SegmentAllocator.openedAtOnce) {
            let last = min(segment.rawValue, first + UInt32(SegmentAllocator.openedAtOnce) - 1)
            try await open((first...last).map(SegmentNumber.init(rawValue:)), in: scope, forRegistrations: false)
        }
    }

    /// After a rebuild: reopens segments with room for registrations, after the indices that may have been allocated
    /// before and whose records are still in flight.
    func reopen(in scope: AppScope) async throws(StoreError) {
        let count = try await count(in: scope)
        let first = count - min(count, UInt32(SegmentAllocator.openWanted))
        var open: [String] = []
        for number in first..<count {
            let segment = scope.segment(SegmentNumber(rawValue: number))
            let skipped = try await allocate(SegmentAllocator.placesOnTheirWay, in: segment, scope: scope)
            if skipped.count == SegmentAllocator.placesOnTheirWay { open.append(String(number)) }
        }
        _ = try await redis.run(
            ScriptCall(
                RegistryScripts.openSegments, keys: [RegistryKeys.app(scope.app)],
                arguments: [RedisArgument(scope.generation.id), RedisArgument(open.joined(separator: ","))]))
    }

    func standing(of scope: AppScope) async throws(StoreError) -> Standing {
        guard let fields = try await root.fields(["segments", "open"], of: scope) else {
            return Standing(count: 0, open: [])
        }
        guard let count = fields[0].integer.flatMap(UInt32.init(exactly:)), let open = fields[1].string else {
            throw StoreError(
                .corrupt, message: "invalid data in Redis: app:\(scope.app) has no valid `segments` or `open`")
        }
        scope.generation.segments.note(count, for: scope.app)
        let numbers = open.split(separator: ",").compactMap { UInt32($0) }
        return Standing(count: count, open: numbers.map(SegmentNumber.init(rawValue:)))
    }

    /// Opens consecutive segments, the next one first. Headers are created before the count: after an interruption, the
    /// next process that opens these segments finds the headers and continues.
    private func open(
        _ numbers: [SegmentNumber], in scope: AppScope, forRegistrations: Bool
    ) async throws(StoreError) {
        guard let last = numbers.last, last.rawValue <= SegmentNumber.maximum else {
            throw StoreError(.tooMany, message: "\(scope.app) already has the maximum number of segments")
        }
        let id = RedisArgument(scope.generation.id)
        _ = try await redis.run(
            numbers.map {
                ScriptCall(
                    RegistryScripts.createSegment, keys: [SegmentKeys(scope.segment($0)).header], arguments: [id])
            })
        let counted = try await redis.run(
            numbers.map { number in
                ScriptCall(
                    RegistryScripts.countSegment, keys: [RegistryKeys.app(scope.app)],
                    arguments: [id, RedisArgument(Int64(number.rawValue)), forRegistrations ? "1" : "0"])
            })
        if let count = counted.last?.integer.flatMap(UInt32.init(exactly:)) {
            scope.generation.segments.note(count, for: scope.app)
        }
    }

    private func close(_ number: SegmentNumber, in scope: AppScope) async throws(StoreError) {
        _ = try await redis.run(
            ScriptCall(
                RegistryScripts.closeSegment, keys: [RegistryKeys.app(scope.app)],
                arguments: [RedisArgument(scope.generation.id), RedisArgument(Int64(number.rawValue))]))
    }

    private func allocate(
        _ count: Int, in segment: SegmentID, scope: AppScope
    ) async throws(StoreError) -> [DeviceIndex] {
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.allocate, keys: [SegmentKeys(segment).header],
                arguments: [RedisArgument(scope.generation.id), RedisArgument(count)]))
        guard let numbers = reply.array?.compactMap(\.integer), numbers.count == 2, numbers[0] >= 0, numbers[1] >= 0,
            numbers[0] + numbers[1] <= Int64(DeviceIndex.segmentCapacity)
        else {
            throw StoreError(
                .corrupt, message: "invalid data in Redis: segment \(segment) allocates offsets out of range")
        }
        // The lowest index last, because indices are taken from the end.
        return (numbers[0]..<numbers[0] + numbers[1]).reversed().map {
            DeviceIndex(segment: segment.number, offset: UInt16($0))
        }
    }
}
