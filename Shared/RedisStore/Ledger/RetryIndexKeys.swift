import RedisClient
import Store

/// Both keys of a shard share its hash tag, so that one script can move an entry from the one to the other.
///
/// An entry is a member of either sorted set: when it is due in six bytes, the lowest first, then the order. The orders
/// are thus kept once, and an entry that comes back from a lease knows its place.
struct RetryIndexKeys {
    /// What the names begin with, up to the colon.
    static let families = ["retries", "leases"]

    /// What waits, by the time it is due.
    let waiting: RedisArgument
    /// What is in a lease, by the lease's end.
    let leased: RedisArgument

    init(_ shard: RetryShard) {
        waiting = RedisArgument("retries:{retries:\(shard)}")
        leased = RedisArgument("leases:{retries:\(shard)}")
    }

    var all: [RedisArgument] { [waiting, leased] }
}
