import RedisClient

/// The steps of an outage. All that write have `flags=allow-oom`: senders free memory, and must be able to pause at the
/// memory bound.
enum ProviderOutageScripts {
    static let read = RedisScript(PackageResources.read_outages_lua, using: .clock, .outageBounds)
    static let extend = RedisScript(PackageResources.extend_outage_lua, using: .clock, .outageBounds, .outage)
    static let probe = RedisScript(
        PackageResources.grant_probe_lua, using: .clock, .probeReplies, .outageBounds, .outage)
    static let giveBackProbe = RedisScript(PackageResources.give_back_probe_lua, using: .clock, .outageBounds, .outage)
    static let nominate = RedisScript(PackageResources.nominate_lua, using: .clock, .outageBounds, .outage)
}
