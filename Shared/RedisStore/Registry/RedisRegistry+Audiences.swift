package import PushModel
import RedisClient
package import Store

extension RedisRegistry: SavedAudiences {
    package func save(_ definition: [UInt8], as name: AudienceName, in app: AppID) async throws(StoreError) {
        try await within(app) { scope in
            let names = try await audienceNames(in: scope)
            try SavedAudienceBounds.check(definition, isNew: !names.contains(name), count: names.count)
            try await change(name, to: definition, in: scope)
        }
    }

    package func removeAudience(_ name: AudienceName, in app: AppID) async throws(StoreError) {
        try await within(app) { scope in
            guard try await audienceNames(in: scope).contains(name) else { return }
            try await change(name, to: nil, in: scope)
        }
    }

    package func audiences(
        _ names: [AudienceName], in app: AppID
    ) async throws(StoreError) -> [AudienceName: [UInt8]] {
        guard !names.isEmpty else { return [:] }
        return try await within(app) { scope in
            let found = try await readAudiences(names.map { RedisArgument($0.text) }, in: scope)
            let pairs = zip(names, found).compactMap { name, value in value.bytes.map { (name, $0) } }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    package func audienceNames(in app: AppID) async throws(StoreError) -> [AudienceName] {
        try await within(app) { try await audienceNames(in: $0) }
    }

    private func audienceNames(in scope: AppScope) async throws(StoreError) -> [AudienceName] {
        try await readAudiences([], in: scope).compactMap { $0.string.flatMap { try? AudienceName($0) } }.sorted()
    }

    private func readAudiences(
        _ names: [RedisArgument], in scope: AppScope
    ) async throws(StoreError) -> [RedisValue] {
        let place = RegistryChange.ofApp.segment
        guard try await exists(place, in: scope) else { return [] }
        let keys = SegmentKeys(scope.segment(place))
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.readAudiences, keys: [keys.header, keys.audiences],
                arguments: [RedisArgument(scope.generation.id)] + names))
        return reply.array ?? []
    }

    private func change(_ name: AudienceName, to definition: [UInt8]?, in scope: AppScope) async throws(StoreError) {
        try await commit([.audience(name, definition)], in: scope)
    }
}
