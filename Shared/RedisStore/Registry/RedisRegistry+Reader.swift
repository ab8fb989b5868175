import PushModel
import RedisClient
import ServiceKit
import Store

extension RedisRegistry {
    /// Missing segments are empty.
    func members(
        of topics: [TopicName], in segments: [SegmentNumber], scope: AppScope
    ) async throws(StoreError) -> [SegmentMembers] {
        var present: [SegmentNumber] = []
        for segment in segments where try await exists(segment, in: scope) { present.append(segment) }
        let numbers = try await names.numbers(of: topics, in: scope)
        let requests = present.map { AudienceRequest(numbers, in: scope.segment($0), generation: scope.generation) }
        var members: [SegmentNumber: SegmentMembers] = [:]
        for (segment, (request, reply)) in zip(present, zip(requests, try await redis.run(requests.map(\.call)))) {
            members[segment] = try request.members(from: reply)
        }
        return segments.map { members[$0] ?? SegmentMembers() }
    }

    func devices(
        at offsets: SegmentSet, in segment: SegmentID, _ scope: AppScope
    ) async throws(StoreError) -> PackedDevices {
        guard try await exists(segment.number, in: scope) else { return PackedDevices() }
        let request = BucketsRequest(offsets, in: segment, generation: scope.generation)
        guard let devices = try request.devices(from: try await redis.send(request.commands)) else {
            throw redis.notReady("\(segment) is not of this registry")
        }
        return devices
    }

    func readAudience(
        _ numbers: [TopicName: TopicNumber], in segment: SegmentID, scope: AppScope
    ) async throws(StoreError) -> SegmentMembers {
        let request = AudienceRequest(numbers, in: segment, generation: scope.generation)
        return try request.members(from: try await redis.run(request.call))
    }

    func segments(
        of audience: Audience, in scope: AppScope
    ) async throws(StoreError) -> [SegmentNumber] {
        guard let topics = audience.necessaryTopics else {
            return (0..<(try await allocator.count(in: scope))).map(SegmentNumber.init(rawValue:))
        }
        let numbers = try await names.numbers(of: topics, in: scope)
        let entries = try await topicSegments.entries(of: Array(Set(numbers.values)), in: scope)
        return Set(entries.joined().map(\.segment)).sorted()
    }
}
