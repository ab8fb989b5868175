import PushModel
import RedisClient
import Store

/// Reads the living devices of a segment and the members of some topics.
struct AudienceRequest {
    let call: ScriptCall
    private let topics: [TopicName]

    init(_ numbers: [TopicName: TopicNumber], in segment: SegmentID, generation: RegistryGeneration) {
        let segmentKeys = SegmentKeys(segment)
        var keys = [segmentKeys.header, segmentKeys.live]
        var arguments = [RedisArgument(generation.id)]
        var places: [Int: Int] = [:]
        topics = Array(numbers.keys)
        for number in numbers.values {
            let bucket = Int(number) % SegmentKeys.topicBucketCount
            if places[bucket] == nil {
                keys.append(segmentKeys.topics(bucket))
                places[bucket] = keys.count
            }
            arguments += [RedisArgument(places[bucket] ?? 0), RedisArgument(Int64(number))]
        }
        call = ScriptCall(RegistryScripts.readAudience, keys: keys, arguments: arguments)
    }

    func members(from reply: RedisValue) throws(StoreError) -> SegmentMembers {
        guard let fields = reply.array?.compactMap(\.bytes), fields.count == 1 + 2 * topics.count else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the members of a segment")
        }
        var members: [TopicName: TopicMembers] = [:]
        for (position, topic) in topics.enumerated() {
            members[topic] = TopicMembers(
                members: try AudienceRequest.set(fields[2 * position + 1]),
                ignoring: try AudienceRequest.set(fields[2 * position + 2]))
        }
        guard let live = SegmentSet(bytes: fields[0]) else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the devices of a segment")
        }
        return SegmentMembers(live: live, topics: members)
    }

    /// Decodes a list of offsets, or a bitmap if the value has the size of a bitmap.
    private static func set(_ bytes: [UInt8]) throws(StoreError) -> SegmentSet {
        if bytes.count == SegmentSet.bytesCount, let set = SegmentSet(bytes: bytes) { return set }
        var reader = ByteReader(bytes)
        var set = SegmentSet()
        while let offset = reader.integer(UInt16.self) {
            guard Int(offset) < DeviceIndex.segmentCapacity else {
                throw StoreError(
                    .corrupt, message: "invalid data in Redis: a topic member's offset is outside the segment")
            }
            set.insert(offset)
        }
        return set
    }
}
