import RedisClient
import ServiceKit

/// The compaction of Redis' append-only file, which would hide how much is written.
struct LogCompaction {
    private static let setting: RedisArgument = "auto-aof-rewrite-percentage"
    private static let patience = Duration.seconds(60)
    private static let look = Duration.milliseconds(50)

    /// Percentage of growth that starts it.
    private let growth: RedisArgument

    /// Pauses it, and waits for the end of one that runs.
    init(pausedBy client: RedisClient) async throws {
        let reply = try await client.send(RedisCommand("CONFIG", "GET", LogCompaction.setting))
        guard let value = reply.array?.last?.string else { throw BenchError("redis-server hides its settings") }
        growth = RedisArgument(value)
        _ = try await client.send(RedisCommand("CONFIG", "SET", LogCompaction.setting, 0))
        let deadline = SystemTimeSource().uptime + LogCompaction.patience
        while try await RedisInfo(client, section: "persistence").number("aof_rewrite_in_progress") != 0 {
            guard SystemTimeSource().uptime < deadline else { throw BenchError("Redis compacts its log for a minute") }
            try await SystemTimeSource().sleep(for: LogCompaction.look)
        }
    }

    func resume(_ client: RedisClient) async throws {
        _ = try await client.send(RedisCommand("CONFIG", "SET", LogCompaction.setting, growth))
    }
}
