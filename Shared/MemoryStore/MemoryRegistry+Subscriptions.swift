package import PushModel
import ServiceKit
package import Store

extension MemoryRegistry {
    package func subscriptions(of id: DeviceID, in app: AppID) throws(StoreError) -> [TopicName: SubscriptionOptions]? {
        try read(app) { $0.subscriptions(of: id) }
    }

    package func subscribe(
        _ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in app: AppID
    ) async throws(StoreError) -> SubscriptionChange? {
        try await perform(in: app) { state throws(StoreError) in
            guard let topics = state.subscriptions(of: id) else { return Decision(answer: nil) }
            let change: SubscriptionChange = topics[topic] == nil ? .created : .updated
            if change == .created { try MemoryRegistry.checkSubscriptions(topics.count + 1) }
            return Decision(
                answer: change, beginnings: MemoryRegistry.beginning(of: topic, at: time.now, in: state, app: app),
                changes: [RegistryChange(app: app, index: id.index, .subscription(topic, options))])
        }
    }

    package func unsubscribe(
        _ id: DeviceID, from topic: TopicName, in app: AppID
    ) async throws(StoreError) -> Bool? {
        try await perform(in: app) { state in
            guard let topics = state.subscriptions(of: id) else { return Decision(answer: nil) }
            guard topics[topic] != nil else { return Decision(answer: false) }
            return Decision(
                answer: true, changes: [RegistryChange(app: app, index: id.index, .subscription(topic, nil))])
        }
    }

    package func setSubscriptions(
        of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in app: AppID
    ) async throws(StoreError) -> Bool {
        try MemoryRegistry.checkSubscriptions(topics.count)
        return try await perform(in: app) { state in
            guard let present = state.subscriptions(of: id) else { return Decision(answer: false) }
            let ended = present.keys.filter { topics[$0] == nil }.sorted()
            let wanted = topics.filter { present[$0.key] != $0.value }.sorted { $0.key < $1.key }
            let contents: [RegistryChange.Content] =
                ended.map { .subscription($0, nil) } + wanted.map { .subscription($0.key, $0.value) }
            return Decision(
                answer: true,
                beginnings: wanted.flatMap {
                    MemoryRegistry.beginning(of: $0.key, at: time.now, in: state, app: app)
                },
                changes: contents.map { RegistryChange(app: app, index: id.index, $0) })
        }
    }

    /// Segment by segment: concurrent new subscriptions may remain.
    package func purge(_ topic: TopicName, in app: AppID) async throws(StoreError) -> Int {
        var ended = 0
        for segment in try read(app, body: { $0.segments.keys.sorted() }) {
            ended += try await perform(in: app) { state in
                let count = state[segment].members(of: topic).members.count
                guard count > 0 else { return Decision(answer: 0) }
                let place = DeviceIndex(segment: segment, offset: 0)
                return Decision(answer: count, changes: [RegistryChange(app: app, index: place, .purge(topic))])
            }
        }
        return ended
    }

    private static func checkSubscriptions(_ count: Int) throws(StoreError) {
        guard count <= RegistryBounds.subscriptionsMaximum else {
            throw StoreError(
                .tooMany,
                message: "a device has at most \(RegistryBounds.subscriptionsMaximum) subscriptions, not \(count)")
        }
    }
}

extension MemoryRegistryApp {
    fileprivate func subscriptions(of id: DeviceID) -> [TopicName: SubscriptionOptions]? {
        device(id).map { _ in self[id.index].subscriptions[id.index.offset] ?? [:] }
    }
}
