import RedisClient
import Store

/// All keys of the registry, server by server.
struct RegistryKeyspace: Sendable {
    static let rootName = "registry"

    let redis: StoreConnection

    /// See `KeyScan.visit`.
    func visit(
        _ visitor: ([String]) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        try await KeyScan(redis: redis, families: Set(RegistryKeys.families)).visit(visitor)
    }

    /// Removes the keys of earlier registries except the root. A newer registry may begin in the meantime; its keys are
    /// kept.
    func clear(before generation: RegistryGeneration) async throws(StoreError) {
        try await visit { keys throws(StoreError) in
            let old = keys.filter { $0 != RegistryKeyspace.rootName }
            let groups = Dictionary(grouping: old) { RegistryKeyspace.owner(of: $0) }
            _ = try await redis.run(
                groups.map { owner, keys in
                    ScriptCall(
                        RegistryScripts.clear, keys: ([owner] + keys).map { RedisArgument($0) },
                        arguments: [RedisArgument(generation.id)])
                })
            return true
        }
    }

    /// The key that holds the generation of a key: the segment's header, or the key itself.
    private static func owner(of key: String) -> String {
        key.firstIndex(of: "{").map { open in
            SegmentKeys.headerName(tag: String(key[open...].prefix { $0 != "}" } + "}"))
        } ?? key
    }
}
