import PushModel
import RedisClient
import ServiceKit
import Store

extension RedisRegistry {
    func subscriptions(
        of id: DeviceID, in scope: AppScope
    ) async throws(StoreError) -> [TopicName: SubscriptionOptions]? {
        guard let stored = try await read(id.index, in: scope), stored.living(tag: id.tag) != nil else { return nil }
        return try await named(stored.subscriptions, in: scope)
    }

    func subscribe(
        _ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in scope: AppScope
    ) async throws(StoreError) -> SubscriptionChange? {
        // No topic number is allocated for an unknown device.
        if try await names.numbers(of: [topic], in: scope).isEmpty {
            guard try await isLiving(id, in: scope) else { return nil }
        }
        switch try await write([.subscription(topic, options)], of: id, in: scope) {
        case .done(let isNew): return isNew == [true] ? .created : .updated
        case .gone, .changed: return nil
        case .tooMany:
            throw StoreError(
                .tooMany,
                message: "the device already has the maximum of \(RegistryBounds.subscriptionsMaximum) subscriptions")
        }
    }

    func unsubscribe(
        _ id: DeviceID, from topic: TopicName, in scope: AppScope
    ) async throws(StoreError) -> Bool? {
        if try await names.numbers(of: [topic], in: scope).isEmpty {
            return try await isLiving(id, in: scope) ? false : nil
        }
        guard case .done(let was) = try await write([.subscription(topic, nil)], of: id, in: scope) else {
            return nil
        }
        return was == [true]
    }

    func setSubscriptions(
        of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in scope: AppScope
    ) async throws(StoreError) -> Bool {
        guard topics.count <= RegistryBounds.subscriptionsMaximum else {
            throw StoreError(
                .tooMany, message: "a device can have at most \(RegistryBounds.subscriptionsMaximum) subscriptions")
        }
        for _ in 0..<RedisRegistry.roundsMaximum {
            guard let stored = try await read(id.index, in: scope), stored.living(tag: id.tag) != nil else {
                return false
            }
            let present = try await named(stored.subscriptions, in: scope)
            let changes = RedisRegistry.difference(from: present, to: topics)
            guard !changes.isEmpty else { return true }
            let write = DeviceWrite(
                index: id.index, condition: .living(tag: id.tag), changes: changes,
                subscriptions: stored.subscriptions)
            switch try await self.write(write, in: scope) {
            case .done: return true
            case .gone: return false
            case .changed, .tooMany: continue
            }
        }
        throw StoreError(.unavailable, message: "too many concurrent changes of the same device's subscriptions; retry")
    }

    /// Removals come first, so that the limit is not exceeded half-way.
    private static func difference(
        from present: [TopicName: SubscriptionOptions], to wanted: [TopicName: SubscriptionOptions]
    ) -> [RegistryChange.Content] {
        present.keys.filter { wanted[$0] == nil }.sorted().map { .subscription($0, nil) }
            + wanted.filter { present[$0.key] != $0.value }.sorted { $0.key < $1.key }.map { .subscription($0, $1) }
    }

    private func write(
        _ changes: [RegistryChange.Content], of id: DeviceID, in scope: AppScope
    ) async throws(StoreError) -> WriteVerdict {
        guard try await exists(id.index.segment, in: scope) else { return .gone }
        return try await write(
            DeviceWrite(index: id.index, condition: .living(tag: id.tag), changes: changes), in: scope)
    }

    private func isLiving(_ id: DeviceID, in scope: AppScope) async throws(StoreError) -> Bool {
        try await read(id.index, in: scope)?.living(tag: id.tag) != nil
    }

    private func named(
        _ subscriptions: PackedSubscriptions, in scope: AppScope
    ) async throws(StoreError) -> [TopicName: SubscriptionOptions] {
        let options = subscriptions.options
        let names = try await names.names(of: Array(options.keys), in: scope)
        var named: [TopicName: SubscriptionOptions] = [:]
        for (number, name) in names { named[name] = options[number] }
        return named
    }
}
