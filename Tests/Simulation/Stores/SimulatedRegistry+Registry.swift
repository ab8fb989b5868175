import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: Registry {
    func register(_ token: PushToken, changes: DeviceChanges, in app: AppID) async throws(StoreError) -> Registration {
        try await seam.call("registry.register") {
            if seam.seam.world.bug == .registrationReplaces, !app.isSpace,
                let known = try await base.device(of: token, in: app)
            {
                _ = try await base.remove(known, in: app)
            }
            let registration = try await base.register(token, changes: changes, in: app)
            if app.isSpace { seam.seam.world.endpoints.note(registration.registered.id, token: token.text) }
            return registration
        }
    }

    func device(_ id: DeviceID, in app: AppID) async throws(StoreError) -> RegisteredDevice? {
        try await seam.call("registry.device") { try await base.device(id, in: app) }
    }

    func change(_ id: DeviceID, changes: DeviceChanges, in app: AppID) async throws(StoreError) -> Bool {
        try await seam.call("registry.change") { try await base.change(id, changes: changes, in: app) }
    }

    func remove(_ id: DeviceID, in app: AppID) async throws(StoreError) -> Bool {
        try await seam.call("registry.remove") {
            if seam.seam.world.bug == .removalForgotten, !app.isSpace { return true }
            return try await base.remove(id, in: app)
        }
    }

    func subscriptions(of id: DeviceID, in app: AppID) async throws(StoreError) -> [TopicName: SubscriptionOptions]? {
        try await seam.call("registry.subscriptions") { try await base.subscriptions(of: id, in: app) }
    }

    func subscribe(_ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in app: AppID)
        async throws(StoreError) -> SubscriptionChange?
    {
        try await seam.call("registry.subscribe") { try await base.subscribe(id, to: topic, options: options, in: app) }
    }

    func unsubscribe(_ id: DeviceID, from topic: TopicName, in app: AppID) async throws(StoreError) -> Bool? {
        try await seam.call("registry.unsubscribe") {
            if seam.seam.world.bug == .unsubscriptionForgotten { return true }
            return try await base.unsubscribe(id, from: topic, in: app)
        }
    }

    func setSubscriptions(of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in app: AppID)
        async throws(StoreError) -> Bool
    {
        try await seam.call("registry.setSubscriptions") {
            guard seam.seam.world.bug == .subscriptionsAdded else {
                return try await base.setSubscriptions(of: id, to: topics, in: app)
            }
            let known = try await base.subscriptions(of: id, in: app) ?? [:]
            return try await base.setSubscriptions(of: id, to: known.merging(topics) { $1 }, in: app)
        }
    }

    func purge(_ topic: TopicName, in app: AppID) async throws(StoreError) -> Int {
        try await seam.call("registry.purge") { try await base.purge(topic, in: app) }
    }

    func devices(of alias: Alias, in app: AppID) async throws(StoreError) -> [DeviceID] {
        try await seam.call("registry.devices") { try await base.devices(of: alias, in: app) }
    }

    func device(of token: PushToken, in app: AppID) async throws(StoreError) -> DeviceID? {
        try await seam.call("registry.device") { try await base.device(of: token, in: app) }
    }

    func deviceCount(in app: AppID) async throws(StoreError) -> Int {
        try await seam.call("registry.deviceCount") { try await base.deviceCount(in: app) }
    }

    func countFailure(of id: DeviceID, by task: TaskID, limit: Int, in app: AppID) async throws(StoreError)
        -> FailureVerdict
    {
        try await seam.call("registry.countFailure") {
            try await base.countFailure(of: id, by: task, limit: limit, in: app)
        }
    }

    func forgetFailures(of ids: [DeviceID], in app: AppID) async throws(StoreError) {
        try await seam.call("registry.forgetFailures") { try await base.forgetFailures(of: ids, in: app) }
    }
}
