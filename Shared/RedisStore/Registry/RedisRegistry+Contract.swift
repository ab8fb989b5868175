package import PushModel
package import Store

extension RedisRegistry: Registry {
    package func register(
        _ token: PushToken, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Registration {
        try await within(app) { try await register(token, changes: changes, in: $0) }
    }

    package func device(_ id: DeviceID, in app: AppID) async throws(StoreError) -> RegisteredDevice? {
        try await within(app) { try await device(id, in: $0) }
    }

    package func change(
        _ id: DeviceID, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Bool {
        try await within(app) { try await change(id, changes: changes, in: $0) }
    }

    package func remove(_ id: DeviceID, in app: AppID) async throws(StoreError) -> Bool {
        try await within(app) { try await remove(id, in: $0) }
    }

    package func subscriptions(
        of id: DeviceID, in app: AppID
    ) async throws(StoreError) -> [TopicName: SubscriptionOptions]? {
        try await within(app) { try await subscriptions(of: id, in: $0) }
    }

    package func subscribe(
        _ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in app: AppID
    ) async throws(StoreError) -> SubscriptionChange? {
        try await within(app) { try await subscribe(id, to: topic, options: options, in: $0) }
    }

    package func unsubscribe(
        _ id: DeviceID, from topic: TopicName, in app: AppID
    ) async throws(StoreError) -> Bool? {
        try await within(app) { try await unsubscribe(id, from: topic, in: $0) }
    }

    package func setSubscriptions(
        of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in app: AppID
    ) async throws(StoreError) -> Bool {
        try await within(app) { try await setSubscriptions(of: id, to: topics, in: $0) }
    }

    package func purge(_ topic: TopicName, in app: AppID) async throws(StoreError) -> Int {
        try await within(app) { try await purge(topic, in: $0) }
    }

    package func devices(of alias: Alias, in app: AppID) async throws(StoreError) -> [DeviceID] {
        try await within(app) { try await devices(of: alias, in: $0) }
    }

    package func device(of token: PushToken, in app: AppID) async throws(StoreError) -> DeviceID? {
        try await within(app) { try await device(of: token, in: $0) }
    }

    package func deviceCount(in app: AppID) async throws(StoreError) -> Int {
        try await within(app) { try await deviceCount(in: $0) }
    }

    package func countFailure(
        of id: DeviceID, by task: TaskID, limit: Int, in app: AppID
    ) async throws(StoreError) -> FailureVerdict {
        try await within(app) { try await countFailure(of: id, by: task, limit: limit, in: $0) }
    }

    package func forgetFailures(of ids: [DeviceID], in app: AppID) async throws(StoreError) {
        try await within(app) { try await forgetFailures(of: ids, in: $0) }
    }
}

extension RedisRegistry: RegistryReader {
    package func segments(of audience: Audience, in app: AppID) async throws(StoreError) -> [SegmentNumber] {
        try await within(app) { try await segments(of: audience, in: $0) }
    }

    package func members(
        of topics: [TopicName], in segments: [SegmentNumber], of app: AppID
    ) async throws(StoreError) -> [SegmentMembers] {
        try await within(app) { try await members(of: topics, in: segments, scope: $0) }
    }

    package func devices(
        at offsets: SegmentSet, in segment: SegmentID
    ) async throws(StoreError) -> PackedDevices {
        try await within(segment.app) { try await devices(at: offsets, in: segment, $0) }
    }
}
