import PushModel
import Store
import Synchronization

/// A registry that fails on demand, before any change.
final class FaultyRegistry: Registry {
    typealias Interruption = @Sendable (any Registry) async throws(StoreError) -> Void

    private let registry: any Registry
    private let fault = Mutex<StoreError?>(nil)
    /// Removals that succeed before all others fail; nil for no failure.
    private let removalsLeft = Mutex<Int?>(nil)
    private let interruption = Mutex<Interruption?>(nil)

    init(_ registry: any Registry) {
        self.registry = registry
    }

    func fail(with error: StoreError?) {
        fault.withLock { $0 = error }
    }

    /// The removals after the next `count` fail; with nil all succeed.
    func failRemovals(after count: Int?) {
        removalsLeft.withLock { $0 = count }
    }

    /// Runs before each removal, as a request that arrives meanwhile.
    func beforeRemovals(_ interruption: Interruption?) {
        self.interruption.withLock { $0 = interruption }
    }

    private func pass() throws(StoreError) {
        if let error = fault.withLock({ $0 }) { throw error }
    }

    func register(
        _ token: PushToken, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Registration {
        try pass()
        return try await registry.register(token, changes: changes, in: app)
    }

    func device(_ id: DeviceID, in app: AppID) async throws(StoreError) -> RegisteredDevice? {
        try pass()
        return try await registry.device(id, in: app)
    }

    func change(_ id: DeviceID, changes: DeviceChanges, in app: AppID) async throws(StoreError) -> Bool {
        try pass()
        return try await registry.change(id, changes: changes, in: app)
    }

    func remove(_ id: DeviceID, in app: AppID) async throws(StoreError) -> Bool {
        try pass()
        try await interruption.withLock({ $0 })?(registry)
        let mayRemove = removalsLeft.withLock { left in
            guard let count = left else { return true }
            left = max(0, count - 1)
            return count > 0
        }
        guard mayRemove else { throw StoreError(.unavailable, message: "cut off") }
        return try await registry.remove(id, in: app)
    }

    func subscriptions(
        of id: DeviceID, in app: AppID
    ) async throws(StoreError) -> [TopicName: SubscriptionOptions]? {
        try pass()
        return try await registry.subscriptions(of: id, in: app)
    }

    func subscribe(
        _ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in app: AppID
    ) async throws(StoreError) -> SubscriptionChange? {
        try pass()
        return try await registry.subscribe(id, to: topic, options: options, in: app)
    }

    func unsubscribe(_ id: DeviceID, from topic: TopicName, in app: AppID) async throws(StoreError) -> Bool? {
        try pass()
        return try await registry.unsubscribe(id, from: topic, in: app)
    }

    func setSubscriptions(
        of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in app: AppID
    ) async throws(StoreError) -> Bool {
        try pass()
        return try await registry.setSubscriptions(of: id, to: topics, in: app)
    }

    func purge(_ topic: TopicName, in app: AppID) async throws(StoreError) -> Int {
        try pass()
        return try await registry.purge(topic, in: app)
    }

    func devices(of alias: Alias, in app: AppID) async throws(StoreError) -> [DeviceID] {
        try pass()
        return try await registry.devices(of: alias, in: app)
    }

    func device(of token: PushToken, in app: AppID) async throws(StoreError) -> DeviceID? {
        try pass()
        return try await registry.device(of: token, in: app)
    }

    func deviceCount(in app: AppID) async throws(StoreError) -> Int {
        try pass()
        return try await registry.deviceCount(in: app)
    }

    func countFailure(
        of id: DeviceID, by task: TaskID, limit: Int, in app: AppID
    ) async throws(StoreError) -> FailureVerdict {
        try pass()
        return try await registry.countFailure(of: id, by: task, limit: limit, in: app)
    }

    func forgetFailures(of ids: [DeviceID], in app: AppID) async throws(StoreError) {
        try pass()
        try await registry.forgetFailures(of: ids, in: app)
    }
}
