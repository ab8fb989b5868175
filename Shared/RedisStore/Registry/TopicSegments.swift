import PushModel
import RedisClient
import Store

/// The segments that may hold members of a topic; no segment with members is missing.
///
/// A segment is entered before its first member and removed only by the sweep, which considers entries older than an
/// hour without members. A process that adds a member has entered the segment or refreshed the entry a few minutes ago
/// at most, so the sweep sees either the member or an entry that is too new to remove.
struct TopicSegments: Sendable {
    struct Entry {
        let segment: SegmentNumber
        let entered: UInt32
    }

    /// For this time after an entry, members are added without entering the segment again.
    static let freshSeconds: UInt32 = 600
    static let graceSeconds: UInt32 = 3_600

    let redis: StoreConnection

    func enter(
        _ pairs: [(topic: TopicNumber, segment: SegmentNumber)], at now: UInt32, in scope: AppScope
    ) async throws(StoreError) {
        let cache = scope.generation.entries
        let missing = pairs.map { EntryCache.Key(app: scope.app, topic: $0.topic, segment: $0.segment) }.filter { key in
            // If the clock was set back, a cached time can be in the future; it counts as missing.
            guard let entered = cache.time(of: key), entered <= now else { return true }
            return now - entered > TopicSegments.freshSeconds
        }
        guard !missing.isEmpty else { return }
        _ = try await redis.run(
            missing.map { key in
                ScriptCall(
                    RegistryScripts.enterSegment, keys: [RegistryKeys.topicSegments(scope.app, topic: key.topic)],
                    arguments: [
                        RedisArgument(scope.generation.id), RedisArgument(Int64(now)),
                        RedisArgument(Int64(key.segment.rawValue)),
                    ])
            })
        cache.note(missing, at: now)
    }

    func entries(of topics: [TopicNumber], in scope: AppScope) async throws(StoreError) -> [[Entry]] {
        let replies = try await redis.run(
            topics.map { topic in
                ScriptCall(
                    RegistryScripts.readSegments, keys: [RegistryKeys.topicSegments(scope.app, topic: topic)],
                    arguments: [RedisArgument(scope.generation.id)])
            })
        return replies.map { reply in
            var reader = ByteReader(reply.bytes ?? [])
            var entries: [Entry] = []
            while let segment = reader.integer(UInt32.self), let entered = reader.integer(UInt32.self) {
                entries.append(Entry(segment: SegmentNumber(rawValue: segment), entered: entered))
            }
            return entries
        }
    }

    /// Removes entries unless they were refreshed in the meantime; returns the number of removed entries.
    func leave(_ entries: [(topic: TopicNumber, entry: Entry)], in scope: AppScope) async throws(StoreError) -> Int {
        let replies = try await redis.run(
            entries.map { topic, entry in
                ScriptCall(
                    RegistryScripts.leaveSegment, keys: [RegistryKeys.topicSegments(scope.app, topic: topic)],
                    arguments: [
                        RedisArgument(scope.generation.id), RedisArgument(Int64(entry.segment.rawValue)),
                        RedisArgument(Int64(entry.entered)),
                    ])
            })
        return replies.count { $0.integer == 1 }
    }
}
