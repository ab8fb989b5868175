import PushModel
import RedisClient
import ServiceKit
import Store

/// A purge ends all subscriptions to a topic in one step for each segment, whatever their number. The lists of the
/// devices follow later, in the sweep, and before that when one of these devices is read.
extension RedisRegistry {
    /// Segments whose members become purged members in one pipeline.
    private static let segmentsAtOnce = 256

    func purge(_ topic: TopicName, in scope: AppScope) async throws -> Int {
        guard let number = try await names.numbers(of: [topic], in: scope)[topic] else { return 0 }
        var ended = 0
        let segments = try await topicSegments.entries(of: [number], in: scope)[0].map(\.segment)
        for part in segments.chunks(of: RedisRegistry.segmentsAtOnce) {
            if let journal {
                ended += try await purge(topic, in: Array(part), scope: scope, through: journal)
            } else {
                ended += try await purgeDirectly(number, in: Array(part), scope: scope)
            }
        }
        return ended
    }

    private func purgeDirectly(
        _ topic: TopicNumber, in segments: [SegmentNumber], scope: AppScope
    ) async throws(StoreError) -> Int {
        let calls = segments.map { number in
            var script = SegmentChanges(scope.segment(number), generation: scope.generation, now: now)
            script.append(.purge(topic), at: 0)
            return script.commit
        }
        return try await redis.run(calls).reduce(0) { $0 + Int($1.array?.last?.integer ?? 0) }
    }

    /// One record for each segment that has members.
    private func purge(
        _ topic: TopicName, in segments: [SegmentNumber], scope: AppScope, through journal: any RegistryJournal
    ) async throws -> Int {
        let counts = try await members(of: [topic], in: segments, scope: scope).map { segment in
            segment.topics[topic]?.members.count ?? 0
        }
        let changes = zip(segments, counts).filter { $0.1 > 0 }.map { segment, _ in
            RegistryChange(app: scope.app, index: DeviceIndex(segment: segment, offset: 0), .purge(topic))
        }
        _ = try await changes.concurrentMap(atOnce: RedisRegistry.segmentsAtOnce) { try await journal.commit([$0]) }
        return counts.reduce(0, +)
    }
}

extension RedisRegistry {
    /// Removes a purged topic from the lists of one bucket's devices; false if lists of other buckets still name it.
    func finishPurge(
        of topic: TopicNumber, bucket: Int, in segment: SegmentID, scope: AppScope
    ) async throws(StoreError) -> Bool {
        let keys = SegmentKeys(segment)
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.finishPurge,
                keys: [
                    keys.header, keys.subscriptions(bucket),
                    keys.topics(Int(topic) % SegmentKeys.topicBucketCount),
                ],
                arguments: [
                    RedisArgument(scope.generation.id), RedisArgument(Int64(topic)),
                    RedisArgument(bucket * SegmentKeys.bucketDevices),
                ]))
        return reply == .integer(0)
    }

    /// The device without subscriptions that a purge has ended.
    func finishPurges(
        of stored: StoredDevice, at index: DeviceIndex, in scope: AppScope
    ) async throws(StoreError) -> StoredDevice {
        let topics = stored.purged.filter { stored.subscriptions.options[$0] != nil }
        guard !topics.isEmpty else { return stored }
        for topic in topics {
            _ = try await finishPurge(
                of: topic, bucket: SegmentKeys.bucket(of: index.offset), in: scope.segment(index.segment), scope: scope)
        }
        return try StoredDevice(try await redis.run(readCall(index, in: scope)))
    }
}
