import RedisClient
import ServiceKit
import Store

/// Warns when Redis would keep the registry in another form than it is laid out for: three times the memory.
struct RedisLayoutCheck: Sendable {
    static let recommended = [
        "hash-max-listpack-entries": 1_024, "hash-max-listpack-value": 4_096,
    ]

    let redis: StoreConnection
    let log: Log

    func run() async {
        let reply: RedisValue
        do {
            reply = try await redis.send(RedisCommand("CONFIG", "GET", "hash-max-listpack-*"))
        } catch {
            log.warning("Redis does not say how it keeps small hashes", [.error: error.description])
            return
        }
        let found = (reply.array ?? []).compactMap(\.string)
        let settings = Dictionary(zip(found, found.dropFirst()), uniquingKeysWith: { first, _ in first })
        let low = RedisLayoutCheck.recommended.filter { (settings[$0.key].flatMap { Int($0) } ?? 0) < $0.value }
        guard !low.isEmpty else { return }
        let cure = low.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        log.warning("devices would take several times the memory in Redis", [.reason: "set \(cure)"])
    }
}
