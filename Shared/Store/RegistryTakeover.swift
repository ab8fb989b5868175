package import PushModel

/// Takes over the devices of another system, many at a time.
package protocol RegistryTakeover: Sendable {
    /// Creates the devices whose tokens are unknown; one that is known stays as it is. A device appears with its badge
    /// and all its subscriptions, or not at all: an interrupted call may be repeated. Returns the verdicts in the order
    /// of the devices.
    func take(_ devices: [TakenDevice], in app: AppID) async throws(StoreError) -> [TakeoverVerdict]
    /// Begins topics that have no subscribers with what the other system has counted; called before their first device
    /// is taken over. Topics with subscribers, and those begun by an earlier call, keep their counts.
    func begin(_ counts: [TopicName: TopicCount], in app: AppID) async throws(StoreError)
}

/// A device as another system knew it.
package struct TakenDevice: Hashable, Sendable {
    package let token: PushToken
    /// Seconds since 1970, by the clock of the other system.
    package let created: UInt32
    package let updated: UInt32
    package var changes = DeviceChanges()
    /// At most `RegistryBounds.subscriptionsMaximum`.
    package var subscriptions: [TopicName: SubscriptionOptions] = [:]

    package init(token: PushToken, created: UInt32, updated: UInt32) {
        self.token = token
        self.created = created
        self.updated = updated
    }

    package func device(tag: UInt32) -> Device {
        Device(tag: tag, token: token, created: created).applying(changes, at: updated)
    }
}

package enum TakeoverVerdict: Hashable, Sendable {
    case created(DeviceID)
    case known(RegisteredDevice)
}

/// Remembers how far takeovers have come, beside the devices that they have created: a store that goes back to an
/// earlier state takes both along.
package protocol TakeoverProgress: Sendable {
    /// As last recorded; nil before that.
    func progress(of app: AppID) async throws(StoreError) -> [UInt8]?
    func record(_ progress: [UInt8], of app: AppID) async throws(StoreError)
}
