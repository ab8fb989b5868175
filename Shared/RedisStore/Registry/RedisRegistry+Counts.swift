import PushModel
import RedisClient
import ServiceKit
import Store

extension RedisRegistry {
    /// The bitmaps of the segments are counted, so that no other number has to be kept in step with them.
    func deviceCount(in scope: AppScope) async throws(StoreError) -> Int {
        let standing = try await allocator.standing(of: scope)
        let now = time.uptime
        if let census = scope.generation.censuses.current(of: scope.app, at: now) {
            let segments = census.uncertain(now: standing)
            let counts = try await deviceCounts(of: segments, in: scope)
            return census.total(replacing: Dictionary(zip(segments, counts)) { first, _ in first })
        }
        let all = (0..<standing.count).map(SegmentNumber.init(rawValue:))
        let counts = try await deviceCounts(of: all, in: scope)
        let census = DeviceCensus(counts: counts, open: standing.open, at: now)
        scope.generation.censuses.keep(census, of: scope.app)
        return census.total(replacing: [:])
    }

    private func deviceCounts(of segments: [SegmentNumber], in scope: AppScope) async throws(StoreError) -> [Int] {
        let replies = try await redis.run(
            segments.map { number in
                let keys = SegmentKeys(scope.segment(number))
                return ScriptCall(
                    RegistryScripts.countDevices, keys: [keys.header, keys.live],
                    arguments: [RedisArgument(scope.generation.id)])
            })
        var counts: [Int] = []
        for reply in replies {
            guard let count = reply.integer.flatMap(Int.init(exactly:)) else {
                throw StoreError(.corrupt, message: "unexpected reply to a count of devices: \(reply)")
            }
            counts.append(count)
        }
        return counts
    }
}
