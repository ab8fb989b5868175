import PushModel
import RedisClient

/// All keys of the receipts. Those of one task share a slot; those of one day expire together.
enum TaskReceiptKeys {
    /// Slots, by task.
    static let shardCount: UInt64 = 16
    /// Per day and shard. With 512 fingerprints each, which is Redis' default for a compact set, all shards have room
    /// for 33 million receipts a day, and one broadcast for two million.
    static let setCount: UInt64 = 4_096
    /// Per day and shard, as for traces.
    static let counterCount: UInt64 = 1_024

    /// A set of fingerprints as signed numbers.
    static func fingerprints(_ fingerprint: UInt64, of task: TaskID, day: UInt16) -> RedisArgument {
        RedisArgument("receipt:{receipts/\(shard(of: task))}:\(day):\(fingerprint % setCount)")
    }

    /// A hash: task (16 bytes) and kind (one byte) to count.
    static func counters(of task: TaskID, day: UInt16) -> RedisArgument {
        RedisArgument("receipts:{receipts/\(shard(of: task))}:\(day):\(task.low / shardCount % counterCount)")
    }

    private static func shard(of task: TaskID) -> UInt64 { task.low % shardCount }
}
