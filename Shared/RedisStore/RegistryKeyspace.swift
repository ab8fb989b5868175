import RedisClient
import Store

/// All keys of the registry, server by server.
struct RegistryKeyspace: Sendable {
    static let rootName = "registry"
    private static let countOfStep = "1000"

    let redis: StoreConnection

    /// In bounded steps; ends early when the visitor has seen enough. A key may come twice.
    func visit(
        _ visitor: ([String]) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        for server in try await redis.keysOfServers() {
            var cursor = "0"
            repeat {
                let reply = try await redis.send(
                    RedisCommand("SCAN", RedisArgument(cursor), "COUNT", RedisArgument(RegistryKeyspace.countOfStep))
                        .routed(by: server))
                guard let step = reply.array, step.count == 2, let next = step[0].string, let keys = step[1].array
                else {
                    throw StoreError(.corrupt, "SCAN was answered with something else")
                }
                cursor = next
                let own = keys.compactMap(\.string).filter(RegistryKeyspace.isOwn)
                guard try await visitor(own) else { return }
            } while cursor != "0"
        }
    }

    /// Removes what registries before this one have left, the root aside. A newer one may begin meanwhile, and keeps what it
    /// has written.
    func clear(before generation: RegistryGeneration) async throws(StoreError) {
        try await visit { keys throws(StoreError) in
            let old = keys.filter { $0 != RegistryKeyspace.rootName }
            let groups = Dictionary(grouping: old) { RegistryKeyspace.owner(of: $0) }
            _ = try await redis.run(
                groups.map { owner, keys in
                    ScriptCall(
                        RegistryScripts.clear, ([owner] + keys).map { RedisArgument($0) },
                        [RedisArgument(generation.id)])
                })
            return true
        }
    }

    /// The key that says which generation a key is of: a segment's header, or itself.
    private static func owner(of key: String) -> String {
        key.firstIndex(of: "{").map { open in
            SegmentKeys.headerName(tag: String(key[open...].prefix { $0 != "}" } + "}"))
        } ?? key
    }

    private static func isOwn(_ key: String) -> Bool {
        RegistryKeys.families.contains(String(key.prefix { $0 != ":" }))
    }
}
