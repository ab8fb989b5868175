import RedisClient

/// The scripts over the starts of messages in one partition. All have `flags=allow-oom`: messages are handled at the
/// memory bound too.
enum MessageStartsScripts {
    static let open = RedisScript(PackageResources.open_starts_lua, using: .startsBounds, .starts)
    static let begin = RedisScript(PackageResources.begin_starts_lua, using: .startsBounds, .starts)
    static let end = RedisScript(PackageResources.end_starts_lua, using: .startsBounds, .starts)
    static let giveBack = RedisScript(PackageResources.give_back_starts_lua, using: .startsBounds, .starts)
    static let close = RedisScript(PackageResources.close_starts_lua, using: .startsBounds, .starts)
}
