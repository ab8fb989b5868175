import PushModel
import RedisClient
import Store

/// All keys of the outbox. Those of a shard are in one slot, so that each step is atomic.
enum OutboxKeys {
    /// A sorted set: queues by the time at which they are due.
    static func due(_ shard: OutboxShard) -> RedisArgument { key("due", of: shard) }

    /// A sorted set: queues by the end of their lease.
    static func leases(_ shard: OutboxShard) -> RedisArgument { key("leases", of: shard) }

    /// A hash: the batch of a queue, and the bytes that wait behind it.
    static func state(_ queue: OutboxQueue) -> RedisArgument { key("app:\(queue.name)", of: queue.shard) }

    /// A list: the states that wait.
    static func list(_ queue: OutboxQueue) -> RedisArgument { key("queue:\(queue.name)", of: queue.shard) }

    /// A hash: the head of a message or a device, and the names of its states.
    static func subject(_ subject: OutboxSubject) -> RedisArgument {
        switch subject.kind {
        case .message(let task): key("message:\(task.key)", of: OutboxShard(of: subject.kind))
        case .device(let device): key("device:\(subject.app):\(device)", of: OutboxShard(of: subject.kind))
        }
    }

    private static func key(_ name: String, of shard: OutboxShard) -> RedisArgument {
        RedisArgument("outbox:{o\(shard.number)}:\(name)")
    }
}
