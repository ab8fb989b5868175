package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// Replacements in Redis: a hash for each key, and one sorted set of the swaps under way, which are few at a time.
package struct RedisTaskReplacements: TaskReplacements {
    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all schedulers share.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func pointer(of key: ReplacementKey) async throws(StoreError) -> ReplacementPointer? {
        let answer = try await redis.send(
            RedisCommand("HMGET", ReplacementKeys.pointer(key), "generation", "value"))
        guard let fields = answer.array, fields.count == 2, let bytes = fields[1].bytes else { return nil }
        guard let generation = fields[0].integer,
            let pointer = ReplacementPointer(packed: bytes, generation: Int64(generation))
        else {
            throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the pointer of key \(key)")
        }
        return pointer
    }

    package func set(_ pointer: ReplacementPointer, of key: ReplacementKey) async throws(StoreError) -> Bool {
        try await redis.run(
            RedisTaskReplacements.set, keys: [ReplacementKeys.pointer(key)],
            arguments: [
                RedisArgument(pointer.generation), RedisArgument(pointer.packed),
                RedisArgument(max(pointer.end.milliseconds, 1)),
            ]) == .integer(1)
    }

    package func stage(_ content: [UInt8], of task: TaskID, for life: Duration) async throws(StoreError) {
        _ = try await redis.send(
            RedisCommand(
                "SET", ReplacementKeys.staged(task), RedisArgument(content), "PX",
                RedisArgument(max(1, life.wholeMilliseconds))))
    }

    package func staged(_ task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await redis.send(RedisCommand("GET", ReplacementKeys.staged(task))).bytes
    }

    package func unstage(_ task: TaskID, after life: Duration) async throws(StoreError) {
        _ = try await redis.send(
            RedisCommand("PEXPIRE", ReplacementKeys.staged(task), RedisArgument(max(life.wholeMilliseconds, 0))))
    }

    /// Works at the memory limit, like a cancel.
    package func note(_ task: TaskID, replacedBy successor: TaskID) async throws(StoreError) {
        _ = try await redis.run(
            RedisTaskArchive.settle, keys: [ReplacementKeys.successor(task)],
            arguments: [
                RedisArgument(successor.bytes), RedisArgument(ReplacementBounds.successorRetention.wholeMilliseconds),
            ])
    }

    package func successor(of task: TaskID) async throws(StoreError) -> TaskID? {
        try await redis.send(RedisCommand("GET", ReplacementKeys.successor(task))).bytes.flatMap { TaskID(bytes: $0) }
    }

    package func enter(_ swap: TaskSwap, due: Timestamp) async throws(StoreError) {
        _ = try await redis.send(
            RedisCommand("ZADD", ReplacementKeys.swaps, RedisArgument(due.milliseconds), RedisArgument(swap.packed)))
    }

    /// A swap that cannot be decoded, such as one of a later version, stays in the set.
    package func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [SwapLease] {
        let answer = try await redis.run(
            RedisTaskReplacements.take, keys: [ReplacementKeys.swaps],
            arguments: [
                time.map { RedisArgument($0.now.milliseconds) } ?? "", RedisArgument(count),
                RedisArgument(lease.wholeMilliseconds),
            ])
        guard let parts = answer.array, parts.count == 2, let end = parts[0].integer, let swaps = parts[1].array else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode a lease of swaps")
        }
        return swaps.compactMap { $0.bytes.flatMap { TaskSwap(packed: $0) } }
            .map { SwapLease($0, until: Timestamp(milliseconds: Int64(end))) }
    }

    package func remove(_ swap: TaskSwap) async throws(StoreError) {
        _ = try await redis.send(RedisCommand("ZREM", ReplacementKeys.swaps, RedisArgument(swap.packed)))
    }

    package func finish(_ lease: SwapLease) async throws(StoreError) {
        _ = try await redis.run(
            RedisTaskReplacements.finish, keys: [ReplacementKeys.swaps],
            arguments: [RedisArgument(lease.end.milliseconds), RedisArgument(lease.swap.packed)])
    }

    static let set = RedisScript(PackageResources.set_pointer_lua)

    static let take = RedisScript(PackageResources.take_swaps_lua, using: .clock)

    static let finish = RedisScript(PackageResources.finish_swap_lua)
}
