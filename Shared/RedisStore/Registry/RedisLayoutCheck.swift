import RedisClient
import ServiceKit
import Store

/// Tells when Redis would keep the registry in another form than it is laid out for, at several times the memory, or not
/// keep it at all.
struct RedisLayoutCheck: Sendable {
    private static let compact = ["hash-max-listpack-entries": 1_024, "hash-max-listpack-value": 4_096]
    /// Devices that are thrown away one by one leave nothing behind by which the loss could be noticed.
    private static let whole = ["maxmemory-policy": "noeviction"]
    private static let durable = ["appendonly": "yes", "appendfsync": "always"]

    let redis: StoreConnection
    let log: Log
    /// Whether there is no log from which the registry could be filled again.
    let isTruth: Bool

    func run() async {
        let reply: RedisValue
        do {
            reply = try await redis.send(
                RedisCommand("CONFIG", "GET", "hash-max-listpack-*", "append*", "maxmemory-policy"))
        } catch {
            log.warning("Redis does not say how it keeps what it holds", [.error: error.description])
            return
        }
        let found = (reply.array ?? []).compactMap(\.string)
        let settings = Dictionary(zip(found, found.dropFirst()), uniquingKeysWith: { first, _ in first })
        let low = RedisLayoutCheck.compact.filter { (settings[$0.key].flatMap { Int($0) } ?? 0) < $0.value }
        if !low.isEmpty {
            log.warning("devices would take several times the memory in Redis", [.reason: cure(low)])
        }
        let wanted = isTruth ? RedisLayoutCheck.whole.merging(RedisLayoutCheck.durable) { $1 } : RedisLayoutCheck.whole
        let wrong = wanted.filter { settings[$0.key] != $0.value }
        if !wrong.isEmpty { log.warning("Redis may lose devices", [.reason: cure(wrong)]) }
    }

    private func cure(_ settings: [String: some CustomStringConvertible]) -> String {
        "set " + settings.map { "\($0) \($1)" }.sorted().joined(separator: ", ")
    }
}
