/// A submitted command with its deadline and completion.
struct RedisPending: Sendable {
    let command: RedisCommand
    /// In uptime.
    let submitted: Duration
    let deadline: Duration
    let completion: @Sendable (Result<RedisValue, RedisError>) -> Void

    /// Its cost against the bound: its bytes and an allowance for overhead, so that many small commands are bounded
    /// too.
    var cost: Int { command.encoded.count + 128 }
}
