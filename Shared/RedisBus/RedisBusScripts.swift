import RedisClient

/// The steps of the bus that must be atomic. Each touches one partition, or the member list of one group, in bounded
/// work.
///
/// Steps with `flags=allow-oom` work at the `maxmemory` of Redis, since they free memory.
enum RedisBusScripts {
    static let appendForward = RedisScript(PackageResources.append_forward_lua, using: .handled, .append)
    static let appendDraining = RedisScript(PackageResources.append_draining_lua, using: .handled, .append)
    static let partitionCount = RedisScript(PackageResources.partition_count_lua)
    static let beat = RedisScript(PackageResources.beat_lua)
    static let enrol = RedisScript(PackageResources.enrol_lua)
    static let acquire = RedisScript(PackageResources.acquire_lease_lua)
    static let renew = RedisScript(PackageResources.renew_lease_lua, using: .tenureReplies, .rewritten)
    static let release = RedisScript(PackageResources.release_lease_lua)
    static let advance = RedisScript(PackageResources.advance_lua, using: .tenureReplies, .rewritten, .handled)
}
