import Bus
import RedisClient

/// All keys of the bus. The keys of one partition share a hash tag, so that scripts on them stay in one slot.
enum RedisBusKeys {
    /// The stream: an entry holds a batch of messages, its id is the offset after the last of them.
    static func log(_ partition: PartitionID) -> RedisArgument { RedisArgument(logName(partition)) }

    /// The same key, as it appears in replies.
    static func logName(_ partition: PartitionID) -> String { "bus:{\(partition)}:log" }

    /// A hash: `next` offset, `head` (bytes ever appended), `floor` (bytes handled by every group), `removed` (offset
    /// up to which entries are removed); of a log's oldest entry `oldest-bytes` and `oldest-time`; for each group
    /// `fence:` (counts tenures, from a time on), `done:` offset and the `passed:` bytes below it.
    static func state(_ partition: PartitionID) -> RedisArgument { RedisArgument("bus:{\(partition)}:state") }

    /// The holder of the partition for a group; expires if the holder stops renewing it.
    static func lease(_ partition: PartitionID, group: String) -> RedisArgument {
        RedisArgument("bus:{\(partition)}:lease:\(group)")
    }

    /// A sorted set of the live consumers of a group, by the time at which they will count as dead.
    static func members(channel: String, group: String) -> RedisArgument {
        RedisArgument("bus:{\(channel)}:members:\(group)")
    }

    /// Number of partitions of the topic or lane; set by its first user.
    static func partitionCount(channel: String) -> RedisArgument { RedisArgument("bus:{\(channel)}:partitions") }
}
