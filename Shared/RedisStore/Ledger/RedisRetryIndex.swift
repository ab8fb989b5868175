import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The retry index in Redis: two sorted sets for each shard. Every step is one script in one slot.
package struct RedisRetryIndex: RetryIndex {
    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all schedulers share.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func add(_ entries: [RetryEntry], to shard: RetryShard) async throws(StoreError) {
        try await runInSteps(RetryIndexScripts.add, entries: entries, shard: shard)
    }

    package func lease(
        upTo count: Int, for duration: Duration, in shard: RetryShard
    ) async throws(StoreError) -> RetryLease {
        let keys = RetryIndexKeys(shard)
        let answer = try await redis.run(
            RetryIndexScripts.lease, keys: keys.all,
            arguments: [now, RedisArgument(count), RedisArgument(duration.wholeMilliseconds)])
        guard let parts = answer.array, parts.count == 3, let taken = parts[0].integer, let end = parts[1].integer,
            let members = parts[2].array?.map({ $0.bytes.flatMap(RedisRetryIndex.entry) })
        else { throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode a lease of retries") }
        return RetryLease(
            entries: members.compactMap { $0 }, taken: Timestamp(milliseconds: Int64(taken)),
            end: Timestamp(milliseconds: Int64(end)))
    }

    package func complete(_ entries: [RetryEntry], in shard: RetryShard) async throws(StoreError) {
        try await runInSteps(RetryIndexScripts.complete, entries: entries, shard: shard)
    }

    package func giveBack(_ lease: RetryLease, in shard: RetryShard) async throws(StoreError) {
        let end = RedisArgument(lease.end.milliseconds)
        try await runInSteps(RetryIndexScripts.giveBack, entries: lease.entries, shard: shard, first: [end])
    }

    package func outlook(of shard: RetryShard) async throws(StoreError) -> RetryOutlook {
        let answer = try await redis.run(
            RetryIndexScripts.outlook, keys: RetryIndexKeys(shard).all, arguments: [now])
        guard let parts = answer.array, parts.count >= 2, let depth = parts[0].integer, let now = parts[1].integer
        else { throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the outlook of retries") }
        let next = parts.count > 2 ? parts[2].integer : nil
        return RetryOutlook(
            depth: Int(depth), next: next.map { Timestamp(milliseconds: Int64($0)) },
            now: Timestamp(milliseconds: Int64(now)))
    }

    private var now: RedisArgument { time.map { RedisArgument($0.now.milliseconds) } ?? "" }

    private func runInSteps(
        _ script: RedisScript, entries: [RetryEntry], shard: RetryShard, first: [RedisArgument] = []
    ) async throws(StoreError) {
        let keys = RetryIndexKeys(shard).all
        let calls = entries.chunks(of: RetryIndexBounds.entriesMaximum).map { part in
            ScriptCall(
                script, keys: keys, arguments: first + part.map { RedisArgument(RedisRetryIndex.member($0)) })
        }
        _ = try await redis.run(calls)
    }

    private static func member(_ entry: RetryEntry) -> [UInt8] {
        let due = UInt64(entry.due.milliseconds)
        return (0..<6).map { UInt8(truncatingIfNeeded: due >> UInt64($0 * 8)) } + entry.order
    }

    private static func entry(_ member: [UInt8]) -> RetryEntry? {
        var reader = ByteReader(member)
        guard let low = reader.integer(UInt32.self), let high = reader.integer(UInt16.self) else { return nil }
        let due = Timestamp(milliseconds: Int64(high) << 32 | Int64(low))
        return RetryEntry(due: due, order: Array(reader.rest()))
    }
}
