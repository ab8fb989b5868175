import Apps
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// The tokens of Live Activities that run on devices. Each is registered in the app's space of activities, as a device
/// of its own, under the id of the device, and subscribed to its activity.
struct ActivityTokens: Sendable {
    let registry: any Registry
    let book: ActivityBook
    let submission: TaskSubmission

    /// A device has one token for an activity: the last one counts. If a state was sent before, the token gets the newest
    /// at once. An activity that the app started on its own begins with its first token.
    func register(
        _ token: PushToken, for id: ActivityID, on device: RegisteredDevice, of app: PushApp, dialect: TaskDialect
    ) async throws {
        let space = app.id.activities
        if try await book.activity(id, in: space) == nil {
            var base = ActivityBase()
            base.dialect = dialect
            // Alone, as a request that starts the activity may store its state at the same time.
            try await book.save(base, of: id, begun: book.now, in: space)
        }
        let registration = try await registry.register(token, changes: changes(of: device), in: space)
        let endpoint = registration.registered.id
        let isSubscribed = try await isSubscribed(endpoint, to: id, in: space)
        if !isSubscribed {
            _ = try await registry.subscribe(endpoint, to: id.topic, options: .awaitsState, in: space)
        }
        try await removeTokens(of: device.id, for: id, except: endpoint, in: space)
        guard !isSubscribed else { return }
        if let task = try await book.lateState(of: id, to: endpoint, in: space) {
            try await submission.accept([task], trace: nil)
        }
        _ = try await registry.subscribe(endpoint, to: id.topic, options: [], in: space)
    }

    /// False also if the request that subscribed it was interrupted before the state was accepted: it is repeated then.
    private func isSubscribed(_ endpoint: DeviceID, to id: ActivityID, in space: AppID) async throws -> Bool {
        let topics = try await registry.subscriptions(of: endpoint, in: space)
        return topics?[id.topic].map { !$0.contains(.awaitsState) } ?? false
    }

    /// The activity is over on the device.
    func remove(for id: ActivityID, on device: DeviceID, of app: AppID) async throws {
        try await removeTokens(of: device, for: id, except: nil, in: app.activities)
    }

    /// The device has another id, since its provider gave it another token. The tokens of its activities are the same.
    func move(from old: DeviceID, to device: RegisteredDevice, of app: AppID) async throws {
        let changes = changes(of: device)
        for endpoint in try await endpoints(of: old, in: app.activities) {
            _ = try await registry.change(endpoint, changes: changes, in: app.activities)
        }
    }

    /// The device is removed.
    func removeAll(of device: DeviceID, of app: AppID) async throws {
        for endpoint in try await endpoints(of: device, in: app.activities) {
            _ = try await registry.remove(endpoint, in: app.activities)
        }
    }

    /// Without the user, whom the device has: each name of a device takes the store some 40 bytes.
    private func changes(of device: RegisteredDevice) -> DeviceChanges {
        DeviceChanges(
            environment: device.device.environment, version: device.device.version,
            aliases: [.hardware: device.id.description])
    }

    private func endpoints(of device: DeviceID, in space: AppID) async throws -> [DeviceID] {
        try await registry.devices(of: try Alias(.hardware, value: device.description), in: space)
    }

    private func removeTokens(
        of device: DeviceID, for id: ActivityID, except kept: DeviceID?, in space: AppID
    ) async throws {
        for endpoint in try await endpoints(of: device, in: space) where endpoint != kept {
            let topics = try await registry.subscriptions(of: endpoint, in: space)
            if topics?[id.topic] != nil { _ = try await registry.remove(endpoint, in: space) }
        }
    }
}
