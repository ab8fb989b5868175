import PushModel
import RedisClient

/// All keys of the receipts. Those of one task share a slot; those of one day expire together.
enum TaskReceiptKeys {
    /// Slots, by task.
    static let shardCount: UInt64 = 16
    /// Per day and shard. With 512 fingerprints each, which is Redis' default for a compact set, all shards have room
    /// for 33 million receipts a day, and one broadcast for two million; with the recommended 4,096, for eight times as
    /// many. Beyond, a fingerprint takes eight times the memory.
    static let setCount: UInt64 = 4_096
    /// Per day and shard, as for traces.
    static let counterCount: UInt64 = 1_024

    /// A set of fingerprints as signed numbers.
    static func fingerprints(_ fingerprint: UInt64, of task: TaskID, day: UInt16) -> RedisArgument {
        RedisArgument("receipt:\(tag(of: task)):\(day):\(fingerprint % setCount)")
    }

    /// A hash: task (16 bytes) and kind (one byte) to count.
    static func counters(of task: TaskID, day: UInt16) -> RedisArgument {
        RedisArgument("receipts:\(tag(of: task)):\(day):\(bucket(of: task))")
    }

    /// A hash: task (16 bytes) to its places. Long ones would make counters beside them take more memory.
    static func places(of task: TaskID, day: UInt16) -> RedisArgument {
        RedisArgument("receiptp:\(tag(of: task)):\(day):\(bucket(of: task))")
    }

    /// Sums of an app's day, in the slot of the fingerprints, so that one script counts both.
    static func sums(of app: AppID, day: UInt16, shard: UInt64) -> StatisticsKeys.Period {
        StatisticsKeys.Period(prefix: "receiptsum:{receipts/\(shard)}:\(day):\(app)")
    }

    static func shard(of task: TaskID) -> UInt64 { task.low % shardCount }

    private static func tag(of task: TaskID) -> String { "{receipts/\(shard(of: task))}" }
    private static func bucket(of task: TaskID) -> UInt64 { task.low / shardCount % counterCount }
}
