import PushModel
import RedisClient
import Store

/// All keys of the outbox. Those of a shard are in one slot, so that each step is atomic.
enum OutboxKeys {
    /// A sorted set: apps by the time at which their queues are due.
    static func due(_ shard: OutboxShard) -> RedisArgument { key("due", of: shard) }

    /// A sorted set: apps by the end of the lease of their queues.
    static func leases(_ shard: OutboxShard) -> RedisArgument { key("leases", of: shard) }

    /// A hash: the batch of an app, and the bytes that wait behind it.
    static func app(_ queue: OutboxQueue) -> RedisArgument { key("app:\(queue.app)", of: queue.shard) }

    /// A list.
    static func queue(_ queue: OutboxQueue) -> RedisArgument { key("queue:\(queue.app)", of: queue.shard) }

    /// A hash: the head of a message, and the names of its states.
    static func message(_ task: TaskID) -> RedisArgument { key("message:\(task.key)", of: OutboxShard(of: task)) }

    private static func key(_ name: String, of shard: OutboxShard) -> RedisArgument {
        RedisArgument("outbox:{o\(shard.number)}:\(name)")
    }
}
