import PushModel
import RedisClient
import ServiceKit
import Store

/// Removes obsolete data of an app and the remains of interrupted operations. Every step can be repeated, and several
/// processes can run it at the same time.
struct RegistrySweep: Sendable {
    private static let markSeconds: UInt32 = 3_600
    private static let topicsAtOnce = 256
    private static let bucketsOfCall = 8
    private static let segmentsAtOnce = 256

    let registry: RedisRegistry
    let scope: AppScope

    private var redis: StoreConnection { registry.redis }
    private var id: RedisArgument { RedisArgument(scope.generation.id) }

    /// A removed device leaves a mark with its record for an hour. The record is used to find and remove remaining
    /// lookup entries before the index looks as if it had never been used.
    func forgetRemovedDevices() async throws(StoreError) -> Int {
        var forgotten = 0
        let count = try await registry.allocator.count(in: scope)
        for number in 0..<count {
            let segment = scope.segment(SegmentNumber(rawValue: number))
            let marks = try await redis.send(RedisCommand("HGET", SegmentKeys(segment).header, "marks")).integer ?? 0
            if marks > 0 { forgotten += try await forgetRemovedDevices(of: segment) }
        }
        return forgotten
    }

    private func forgetRemovedDevices(of segment: SegmentID) async throws(StoreError) -> Int {
        let keys = SegmentKeys(segment)
        var forgotten = 0
        for first in stride(from: 0, to: SegmentKeys.bucketCount, by: RegistrySweep.bucketsOfCall) {
            let buckets = Array(first..<first + RegistrySweep.bucketsOfCall)
            let reply = try await redis.run(
                ScriptCall(
                    RegistryScripts.oldMarks, keys: [keys.header] + buckets.map(keys.devices),
                    arguments: [id, RedisArgument(Int64(registry.now - min(registry.now, RegistrySweep.markSeconds)))]))
            let values = reply.array ?? []
            for start in stride(from: 0, to: values.count - 2, by: 3) {
                guard let bucket = values[start].integer, let field = values[start + 1].integer,
                    let mark = values[start + 2].bytes
                else { continue }
                forgotten += try await forget(mark, bucket: first + Int(bucket), field: Int(field), in: segment)
            }
        }
        return forgotten
    }

    private func forget(
        _ mark: [UInt8], bucket: Int, field: Int, in segment: SegmentID
    ) async throws(StoreError) -> Int {
        let offset = UInt16(bucket * SegmentKeys.bucketDevices + field)
        let index = DeviceIndex(segment: segment.number, offset: offset)
        if let device = StoredDevice.removed(mark) {
            try await registry.dropAliases(from: device.packed, to: .device(nil), index: index, in: scope)
        }
        let keys = SegmentKeys(segment)
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.dropMark, keys: [keys.header, keys.devices(bucket)],
                arguments: [id, RedisArgument(field), RedisArgument(mark)]))
        return reply.integer == 1 ? 1 : 0
    }

    /// Removes purged topics from the lists of devices.
    func finishPurges() async throws(StoreError) {
        let count = try await registry.allocator.count(in: scope)
        for part in Array(0..<count).chunks(of: RegistrySweep.segmentsAtOnce) {
            let segments = part.map { scope.segment(SegmentNumber(rawValue: $0)) }
            let fields = try await redis.send(
                segments.map { RedisCommand("HGET", SegmentKeys($0).header, "purged") })
            for (segment, field) in zip(segments, fields) {
                for topic in SegmentKeys.purged(field) { try await finishPurge(of: topic, in: segment) }
            }
        }
    }

    /// Bucket by bucket, so that Redis does other work in between.
    private func finishPurge(of topic: TopicNumber, in segment: SegmentID) async throws(StoreError) {
        for bucket in 0..<SegmentKeys.bucketCount {
            guard try await !registry.finishPurge(of: topic, bucket: bucket, in: segment, scope: scope) else { return }
        }
    }

    /// Removes segments without members from the topics' lists of segments.
    func leaveEmptySegments() async throws(StoreError) -> Int {
        guard let last = try await registry.root.fields(["topics"], of: scope)?.first?.integer, last > 0 else {
            return 0
        }
        var left = 0
        for start in stride(from: 1, through: last, by: RegistrySweep.topicsAtOnce) {
            let end = min(last, start + Int64(RegistrySweep.topicsAtOnce) - 1)
            left += try await leaveEmptySegments(of: try await numbered((start...end).map(TopicNumber.init)))
        }
        return left
    }

    /// The topics that have a list; a number that lost the race to another one has none.
    private func numbered(_ numbers: [TopicNumber]) async throws(StoreError) -> [TopicNumber] {
        let replies = try await redis.send(
            numbers.map { RedisCommand("HGET", RegistryKeys.topicSegments(scope.app, topic: $0), "g") })
        return zip(numbers, replies).filter { $1.string == scope.generation.id }.map(\.0)
    }

    private func leaveEmptySegments(of topics: [TopicNumber]) async throws(StoreError) -> Int {
        var old: [(topic: TopicNumber, entry: TopicSegments.Entry)] = []
        for (topic, entries) in zip(topics, try await registry.topicSegments.entries(of: topics, in: scope)) {
            for entry in entries where isOld(entry) { old.append((topic, entry)) }
        }
        let replies = try await redis.run(
            old.map { topic, entry in
                let keys = SegmentKeys(scope.segment(entry.segment))
                return ScriptCall(
                    RegistryScripts.hasNoMember,
                    keys: [keys.header, keys.topics(Int(topic) % SegmentKeys.topicBucketCount)],
                    arguments: [id, RedisArgument(Int64(topic))])
            })
        let empty = zip(old, replies).filter { $1.integer == 1 }.map(\.0)
        return try await registry.topicSegments.leave(empty, in: scope)
    }

    private func isOld(_ entry: TopicSegments.Entry) -> Bool {
        entry.entered < registry.now - min(registry.now, TopicSegments.graceSeconds)
    }
}
