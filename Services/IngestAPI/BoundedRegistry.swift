import PushModel
import Store
import Topics

/// A registry that refuses new devices and subscriptions while the store is full; existing devices are still read,
/// changed and removed.
struct BoundedRegistry: Registry {
    let registry: any Registry
    let room: StoreRoom

    func register(
        _ token: PushToken, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Registration {
        if room.isFull(for: .registering), try await registry.device(of: token, in: app) == nil {
            try room.check(.registering)
        }
        return try await registry.register(token, changes: changes, in: app)
    }

    func device(_ id: DeviceID, in app: AppID) async throws(StoreError) -> RegisteredDevice? {
        try await registry.device(id, in: app)
    }

    func change(_ id: DeviceID, changes: DeviceChanges, in app: AppID) async throws(StoreError) -> Bool {
        try await registry.change(id, changes: changes, in: app)
    }

    func remove(_ id: DeviceID, in app: AppID) async throws(StoreError) -> Bool {
        try await registry.remove(id, in: app)
    }

    func subscriptions(
        of id: DeviceID, in app: AppID
    ) async throws(StoreError) -> [TopicName: SubscriptionOptions]? {
        try await registry.subscriptions(of: id, in: app)
    }

    func subscribe(
        _ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in app: AppID
    ) async throws(StoreError) -> SubscriptionChange? {
        try room.check(.registering)
        return try await registry.subscribe(id, to: topic, options: options, in: app)
    }

    func unsubscribe(_ id: DeviceID, from topic: TopicName, in app: AppID) async throws(StoreError) -> Bool? {
        try await registry.unsubscribe(id, from: topic, in: app)
    }

    func setSubscriptions(
        of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in app: AppID
    ) async throws(StoreError) -> Bool {
        if !topics.isEmpty { try room.check(.registering) }
        return try await registry.setSubscriptions(of: id, to: topics, in: app)
    }

    func purge(_ topic: TopicName, in app: AppID) async throws(StoreError) -> Int {
        try await registry.purge(topic, in: app)
    }

    func devices(of alias: Alias, in app: AppID) async throws(StoreError) -> [DeviceID] {
        try await registry.devices(of: alias, in: app)
    }

    func device(of token: PushToken, in app: AppID) async throws(StoreError) -> DeviceID? {
        try await registry.device(of: token, in: app)
    }

    func deviceCount(in app: AppID) async throws(StoreError) -> Int {
        try await registry.deviceCount(in: app)
    }

    func countFailure(
        of id: DeviceID, by task: TaskID, limit: Int, in app: AppID
    ) async throws(StoreError) -> FailureVerdict {
        try await registry.countFailure(of: id, by: task, limit: limit, in: app)
    }

    func forgetFailures(of ids: [DeviceID], in app: AppID) async throws(StoreError) {
        try await registry.forgetFailures(of: ids, in: app)
    }
}
