import RedisClient

/// Both have `flags=allow-oom`: they stand on the way of pushes, which free memory.
enum PacingScripts {
    static let reserve = RedisScript(PackageResources.reserve_slots_lua, using: .clock, .slots)
    static let take = RedisScript(PackageResources.take_slots_lua, using: .clock, .slots)
}
