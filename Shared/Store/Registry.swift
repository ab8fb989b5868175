package import PushModel

/// The devices, their tokens and their subscriptions. Each operation is atomic for one device; an interrupted one
/// leaves nothing that the next operation on it does not repair.
///
/// For an unknown id the result is nil or false; an incomplete registry throws `notReady` instead, so that an empty
/// store never looks like an unknown device.
package protocol Registry: Sendable {
    /// A known token keeps its id, and fields not given stay unchanged.
    func register(
        _ token: PushToken, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Registration
    func device(_ id: DeviceID, in app: AppID) async throws(StoreError) -> RegisteredDevice?
    /// Also resets the failure count: the device is in use.
    func change(_ id: DeviceID, changes: DeviceChanges, in app: AppID) async throws(StoreError) -> Bool
    func remove(_ id: DeviceID, in app: AppID) async throws(StoreError) -> Bool

    func subscriptions(
        of id: DeviceID, in app: AppID
    ) async throws(StoreError) -> [TopicName: SubscriptionOptions]?
    func subscribe(
        _ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in app: AppID
    ) async throws(StoreError) -> SubscriptionChange?
    /// False also if it was not subscribed.
    func unsubscribe(
        _ id: DeviceID, from topic: TopicName, in app: AppID
    ) async throws(StoreError) -> Bool?
    /// Replaces all subscriptions by these.
    func setSubscriptions(
        of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in app: AppID
    ) async throws(StoreError) -> Bool
    /// Ends all subscriptions to the topic and returns their number.
    func purge(_ topic: TopicName, in app: AppID) async throws(StoreError) -> Int

    func devices(of alias: Alias, in app: AppID) async throws(StoreError) -> [DeviceID]
    func device(of token: PushToken, in app: AppID) async throws(StoreError) -> DeviceID?
    /// The number of devices. Contains every device whose registration has returned; a removed one may be counted for
    /// some seconds more, four milliseconds for each segment of the app.
    func deviceCount(in app: AppID) async throws(StoreError) -> Int
    /// Counts a failed delivery, once for each of the last few tasks; at the limit the device is removed.
    func countFailure(
        of id: DeviceID, by task: TaskID, limit: Int, in app: AppID
    ) async throws(StoreError) -> FailureVerdict
    /// A delivery to these devices succeeded: their failure counts are reset. Called for every delivery, so it writes
    /// nothing for devices without failures.
    func forgetFailures(of ids: [DeviceID], in app: AppID) async throws(StoreError)
}

package enum RegistryBounds {
    package static let subscriptionsMaximum = 1_000
    /// Maximum devices with the same alias.
    package static let devicesOfAliasMaximum = 256
    /// Number of tasks remembered per failing device: repeated results arrive soon or never.
    package static let failuresRemembered = 8
    /// For language, version, version of the app, category and time zone each.
    package static let textBytesMaximum = 64
    package static let badgeMaximum = 999_999

    /// True for a text that one of these fields can hold.
    package static func isText(_ text: String) -> Bool {
        text.utf8.count <= textBytesMaximum && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

package struct RegisteredDevice: Hashable, Sendable {
    package let id: DeviceID
    package let device: Device
    /// Nil until a badge was reported or counted.
    package let badge: UInt32?

    package init(id: DeviceID, device: Device, badge: UInt32?) {
        self.id = id
        self.device = device
        self.badge = badge
    }
}

package struct Registration: Hashable, Sendable {
    package let registered: RegisteredDevice
    package let isNew: Bool

    package init(_ registered: RegisteredDevice, isNew: Bool) {
        self.registered = registered
        self.isNew = isNew
    }
}

package enum SubscriptionChange: Hashable, Sendable {
    case created
    case updated
}

package enum FailureVerdict: Hashable, Sendable {
    case counted(Int)
    case removed
    case unknownDevice
}
