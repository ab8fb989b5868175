/// A command on its way: what to send, until when to wait, and whom to tell.
struct RedisPending: Sendable {
    let command: RedisCommand
    /// In uptime.
    let submitted: Duration
    let deadline: Duration
    let completion: @Sendable (Result<RedisValue, RedisError>) -> Void

    /// What it counts towards the bound: its bytes, and a share for keeping it, so that many small ones are bounded
    /// as well.
    var cost: Int { command.encoded.count + 128 }
}
