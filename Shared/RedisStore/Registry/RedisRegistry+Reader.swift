import PushModel
import RedisClient
import ServiceKit
import Store

extension RedisRegistry {
    func select(
        _ audience: Audience, in segment: SegmentID, scope: AppScope
    ) async throws(StoreError) -> AudienceSelection {
        guard try await exists(segment.number, in: scope) else {
            return AudienceSelection(members: SegmentSet(), silent: SegmentSet())
        }
        let numbers = try await names.numbers(of: audience.topics, in: scope)
        let read = try await readAudience(numbers, in: segment, scope: scope)
        return audience.select(live: read.live, members: read.members)
    }

    func devices(
        at offsets: SegmentSet, in segment: SegmentID, _ scope: AppScope
    ) async throws(StoreError) -> PackedDevices {
        guard try await exists(segment.number, in: scope) else { return PackedDevices() }
        let request = BucketsRequest(offsets, in: segment, generation: scope.generation)
        // Sent one after another: a pipeline would block Redis for other clients until all of them are done.
        var replies: [RedisValue] = []
        for call in request.calls { replies.append(try await redis.run(call)) }
        return try request.devices(from: replies)
    }

    func size(of audience: Audience, in scope: AppScope) async throws(StoreError) -> Int {
        let segments = try await segments(of: audience, in: scope)
        let numbers = try await names.numbers(of: audience.topics, in: scope)
        var size = 0
        for part in segments.chunks(of: RedisRegistry.segmentsAtOnce) {
            let requests = part.map { AudienceRequest(numbers, in: scope.segment($0), generation: scope.generation) }
            for (request, reply) in zip(requests, try await redis.run(requests.map(\.call))) {
                let read = try request.audience(from: reply)
                size += audience.select(live: read.live, members: read.members).members.count
            }
        }
        return size
    }

    private static let segmentsAtOnce = 64

    func readAudience(
        _ numbers: [TopicName: TopicNumber], in segment: SegmentID, scope: AppScope
    ) async throws(StoreError) -> AudienceRequest.Answer {
        let request = AudienceRequest(numbers, in: segment, generation: scope.generation)
        return try request.audience(from: try await redis.run(request.call))
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
