import RedisClient
import ServiceKit
import Store

/// Warns if the settings of Redis store the registry in a less compact encoding, at several times the memory, or allow
/// its loss.
struct RedisLayoutCheck: Sendable {
    private static let compact = ["hash-max-listpack-entries": 1_024, "hash-max-listpack-value": 4_096]
    /// Evicting single devices leaves no trace by which the loss could be detected.
    private static let whole = ["maxmemory-policy": "noeviction"]
    private static let durable = ["appendonly": "yes", "appendfsync": "always"]

    let redis: StoreConnection
    let log: Log
    /// True if there is no log from which the registry can be filled again.
    let isTruth: Bool

    func run() async {
        let reply: RedisValue
        do {
            reply = try await redis.send(
                RedisCommand("CONFIG", "GET", "hash-max-listpack-*", "append*", "maxmemory-policy"))
        } catch {
            log.warning("cannot read the settings of Redis", [.error: error.description])
            return
        }
        let found = (reply.array ?? []).compactMap(\.string)
        let settings = Dictionary(zip(found, found.dropFirst()), uniquingKeysWith: { first, _ in first })
        let low = RedisLayoutCheck.compact.filter { (settings[$0.key].flatMap { Int($0) } ?? 0) < $0.value }
        if !low.isEmpty {
            log.warning("registry needs several times the memory in Redis", [.reason: cure(low)])
        }
        let wanted = isTruth ? RedisLayoutCheck.whole.merging(RedisLayoutCheck.durable) { $1 } : RedisLayoutCheck.whole
        let wrong = wanted.filter { settings[$0.key] != $0.value }
        if !wrong.isEmpty { log.warning("Redis may lose devices with its current settings", [.reason: cure(wrong)]) }
    }

    private func cure(_ settings: [String: some CustomStringConvertible]) -> String {
        "set " + settings.map { "\($0) \($1)" }.sorted().joined(separator: ", ")
    }
}
