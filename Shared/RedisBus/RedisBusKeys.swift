import Bus
import RedisClient

/// Every key of the bus. The keys of one partition share a hash tag, so that its scripts stay in one slot.
enum RedisBusKeys {
    /// The stream: an entry holds a batch of messages, its id is the offset after the last of them.
    static func log(_ partition: PartitionID) -> RedisArgument { RedisArgument(logName(partition)) }

    /// The same key as replies name it.
    static func logName(_ partition: PartitionID) -> String { "bus:{\(partition)}:log" }

    /// A hash: `next` offset, `head` bytes ever appended, `floor` bytes every group is through with, the offset up to which
    /// entries were `removed`; of a log the size and time of its oldest entry, `oldest-bytes` and `oldest-time`; for each
    /// group its `fence:` (counts tenures, from a time on), `done:` offset and the `passed:` bytes below it.
    static func state(_ partition: PartitionID) -> RedisArgument { RedisArgument("bus:{\(partition)}:state") }

    /// Who holds the partition for a group; gone when its holder has been silent for too long.
    static func lease(_ partition: PartitionID, group: String) -> RedisArgument {
        RedisArgument("bus:{\(partition)}:lease:\(group)")
    }

    /// A sorted set of the living consumers of a group, by the time at which they will be taken for dead.
    static func members(channel: String, group: String) -> RedisArgument {
        RedisArgument("bus:{\(channel)}:members:\(group)")
    }

    /// How many partitions the topic or lane has; written by whoever touched it first.
    static func partitionCount(channel: String) -> RedisArgument { RedisArgument("bus:{\(channel)}:partitions") }
}
