import RedisClient

/// The steps of the retry index. All have `flags=allow-oom`: senders hand retries back, and a Redis at its `maxmemory`
/// that refused them could never free memory.
enum RetryIndexScripts {
    static let add = RedisScript(PackageResources.add_retries_lua, using: .retries)
    static let lease = RedisScript(PackageResources.lease_retries_lua, using: .clock, .retries)
    static let complete = RedisScript(PackageResources.complete_retries_lua, using: .retries)
    static let giveBack = RedisScript(PackageResources.give_back_retries_lua, using: .retries)
    static let outlook = RedisScript(PackageResources.retry_outlook_lua, using: .clock)
}
