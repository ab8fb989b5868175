import PushModel
import RedisClient
import Store

/// All keys of the outbox. Those of a shard are in one slot, so that each step is atomic.
enum OutboxKeys {
    /// A sorted set: apps by the time at which their queues are due.
    static func due(_ shard: OutboxShard) -> RedisArgument { key(shard, "due") }

    /// A sorted set: apps by the end of the lease of their queues.
    static func leases(_ shard: OutboxShard) -> RedisArgument { key(shard, "leases") }

    /// A hash: the batch of an app, and the bytes that wait behind it.
    static func app(_ queue: OutboxQueue) -> RedisArgument { key(queue.shard, "app:\(queue.app)") }

    /// A list.
    static func queue(_ queue: OutboxQueue) -> RedisArgument { key(queue.shard, "queue:\(queue.app)") }

    /// A hash: the head of a message, and the names of its states.
    static func message(_ task: TaskID) -> RedisArgument { key(OutboxShard(of: task), "message:\(task.key)") }

    private static func key(_ shard: OutboxShard, _ name: String) -> RedisArgument {
        RedisArgument("outbox:{o\(shard.number)}:\(name)")
    }
}
