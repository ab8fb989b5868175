import RedisClient
import Store

/// Scans all keys of some families, server by server. A family is the part of a key name before its first colon.
struct KeyScan: Sendable {
    private static let countOfStep = "1000"

    let redis: StoreConnection
    let families: Set<String>

    /// Scans in bounded steps; stops when the visitor returns false. A key may be visited twice.
    func visit(
        _ visitor: ([String]) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        for server in try await redis.keysOfServers() {
            var cursor = "0"
            repeat {
                let reply = try await redis.send(
                    RedisCommand("SCAN", RedisArgument(cursor), "COUNT", RedisArgument(KeyScan.countOfStep))
                        .routed(by: server))
                guard let step = reply.array, step.count == 2, let next = step[0].string, let keys = step[1].array
                else {
                    throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the reply to SCAN")
                }
                cursor = next
                let own = keys.compactMap(\.string).filter { families.contains(String($0.prefix { $0 != ":" })) }
                guard try await visitor(own) else { return }
            } while cursor != "0"
        }
    }
}
