import PushModel
import RedisClient
import Store

/// Facts about an app, which are stored with its first segment.
extension RedisRegistry {
    private static let place = RegistryChange.ofApp.segment

    /// Returns once all are applied, in their order.
    func commit(_ contents: [RegistryChange.Content], in scope: AppScope) async throws(StoreError) {
        guard !contents.isEmpty else { return }
        if let journal {
            return try await journal.commit(
                contents.map { RegistryChange(app: scope.app, index: RegistryChange.ofApp, $0) })
        }
        _ = try await openFirstSegment(in: scope)
        let write = DeviceWrite(index: RegistryChange.ofApp, condition: .none, changes: contents)
        _ = try await self.write(write, in: scope)
    }

    /// For scripts that write before there is a change.
    func openFirstSegment(in scope: AppScope) async throws(StoreError) -> SegmentKeys {
        try await root.ensure(scope)
        try await allocator.ensure(RedisRegistry.place, in: scope)
        return SegmentKeys(scope.segment(RedisRegistry.place))
    }

    /// The values of the fields in their order, null for one that does not exist; without fields all fields and values
    /// in turn.
    func read(
        _ fields: [RedisArgument], of hash: (SegmentKeys) -> RedisArgument, in scope: AppScope
    ) async throws(StoreError) -> [RedisValue] {
        guard try await exists(RedisRegistry.place, in: scope) else { return fields.map { _ in .null } }
        let keys = SegmentKeys(scope.segment(RedisRegistry.place))
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.readFields, keys: [keys.header, hash(keys)],
                arguments: [RedisArgument(scope.generation.id)] + fields))
        return reply.array ?? []
    }

    /// Replaces the value of a field unless it has another one than expected; nothing stands for none. False if it had.
    /// The first segment exists since the first fact was stored.
    func replace(
        _ field: RedisArgument, _ value: RedisArgument, by next: RedisArgument,
        of hash: (SegmentKeys) -> RedisArgument, in scope: AppScope
    ) async throws(StoreError) -> Bool {
        guard try await exists(RedisRegistry.place, in: scope) else {
            throw StoreError(.notReady, message: "the space \(scope.app) of activities does not exist")
        }
        let keys = SegmentKeys(scope.segment(RedisRegistry.place))
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.replaceField, keys: [keys.header, hash(keys)],
                arguments: [RedisArgument(scope.generation.id), field, value, next]))
        return reply.integer == 1
    }
}
