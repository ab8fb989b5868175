package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The agenda in Redis: one sorted set of task ids by due time. A few thousand tasks are open at a time, so one slot is
/// enough.
package struct RedisTaskAgenda: TaskAgenda {
    static let name = "agenda"
    private static let key = RedisArgument(name)

    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all reporters share.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func enter(_ task: TaskID, due: Timestamp) async throws(StoreError) {
        try await set(task, due: due, condition: "NX")
    }

    package func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID] {
        let now = time.map { RedisArgument($0.now.milliseconds) } ?? ""
        let answer = try await redis.run(
            RedisTaskAgenda.take, keys: [RedisTaskAgenda.key],
            arguments: [now, RedisArgument(count), RedisArgument(lease.wholeMilliseconds)])
        return (answer.array ?? []).compactMap { $0.bytes.flatMap { TaskID(bytes: $0) } }
    }

    package func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError) {
        try await set(task, due: due, condition: "XX")
    }

    package func finish(_ task: TaskID) async throws(StoreError) {
        _ = try await redis.send(RedisCommand("ZREM", RedisTaskAgenda.key, RedisArgument(task.bytes)))
    }

    package func count() async throws(StoreError) -> Int {
        Int(try await redis.send(RedisCommand("ZCARD", RedisTaskAgenda.key)).integer ?? 0)
    }

    /// Works at the memory limit, so that tasks under way can complete.
    private func set(_ task: TaskID, due: Timestamp, condition: RedisArgument) async throws(StoreError) {
        _ = try await redis.run(
            RedisTaskAgenda.set, keys: [RedisTaskAgenda.key],
            arguments: [condition, RedisArgument(due.milliseconds), RedisArgument(task.bytes)])
    }

    static let set = RedisScript(PackageResources.set_due_lua)

    static let take = RedisScript(PackageResources.take_due_lua, using: .clock)
}
