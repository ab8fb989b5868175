package import PushModel

/// Who can be reached, and by what. Each operation is atomic for one device; one that was cut off half-way leaves
/// nothing that the next touch does not mend.
///
/// An id whose device is not there answers nil or false; a registry that is not whole throws `notReady` instead, so that
/// an empty store never looks like an unknown device.
package protocol Registry: Sendable {
    /// A token that is known keeps its id, and what is not mentioned stays as it was.
    func register(
        _ token: PushToken, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Registration
    func device(_ id: DeviceID, in app: AppID) async throws(StoreError) -> RegisteredDevice?
    /// Also forgets failures counted so far: the device lives.
    func change(_ id: DeviceID, changes: DeviceChanges, in app: AppID) async throws(StoreError) -> Bool
    func remove(_ id: DeviceID, in app: AppID) async throws(StoreError) -> Bool

    func subscriptions(
        of id: DeviceID, in app: AppID
    ) async throws(StoreError) -> [TopicName: SubscriptionOptions]?
    func subscribe(
        _ id: DeviceID, to topic: TopicName, options: SubscriptionOptions, in app: AppID
    ) async throws(StoreError) -> SubscriptionChange?
    /// False also when it was not subscribed.
    func unsubscribe(
        _ id: DeviceID, from topic: TopicName, in app: AppID
    ) async throws(StoreError) -> Bool?
    /// Exactly these, and no others.
    func setSubscriptions(
        of id: DeviceID, to topics: [TopicName: SubscriptionOptions], in app: AppID
    ) async throws(StoreError) -> Bool
    /// Ends every subscription to the topic; how many there were.
    func purge(_ topic: TopicName, in app: AppID) async throws(StoreError) -> Int

    func devices(of alias: Alias, in app: AppID) async throws(StoreError) -> [DeviceID]
    func device(of token: PushToken, in app: AppID) async throws(StoreError) -> DeviceID?
    /// Counts a delivery that failed, once for each of the last few tasks; at the limit the device is removed.
    func countFailure(
        of id: DeviceID, by task: TaskID, limit: Int, in app: AppID
    ) async throws(StoreError) -> FailureVerdict
    /// Something was delivered to these devices: what was counted of them is forgotten. Asked of every delivery there
    /// is, so it writes nothing where nothing is counted.
    func forgetFailures(of ids: [DeviceID], in app: AppID) async throws(StoreError)
}

package enum RegistryBounds {
    package static let subscriptionsMaximum = 1_000
    /// Devices that carry one alias.
    package static let devicesOfAliasMaximum = 256
    /// Failures of a device whose tasks are remembered: results come again soon or not at all.
    package static let failuresRemembered = 8
    /// Of language, version, category and time zone, each.
    package static let textBytesMaximum = 64
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
