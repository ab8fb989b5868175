import RedisClient
import Store

/// Both keys of a shard share its hash tag, so that one script can move an entry between them.
///
/// An entry is a member of one of the sorted sets: its due time in six bytes, most significant first, then the order.
/// Each order is stored only once, and an entry that returns from a lease keeps its position.
struct RetryIndexKeys {
    /// The parts of the key names before the first colon.
    static let families = ["retries", "leases"]

    /// Waiting entries, by due time.
    let waiting: RedisArgument
    /// Leased entries, by the end of the lease.
    let leased: RedisArgument

    init(_ shard: RetryShard) {
        waiting = RedisArgument("retries:{retries:\(shard)}")
        leased = RedisArgument("leases:{retries:\(shard)}")
    }

    var all: [RedisArgument] { [waiting, leased] }
}
