/// A registered device, without its subscriptions and badge.
package struct Device: Hashable, Sendable {
    /// APNs has two environments; a token of one is unknown in the other.
    package enum Environment: String, CaseIterable, Sendable {
        case production
        case sandbox
    }

    package let tag: UInt32
    package let token: PushToken
    /// Seconds since 1970.
    package let created: UInt32
    package var updated: UInt32
    package var environment: Environment = .production
    package var contentAvailable: Bool?
    /// True from the first moment on that its app reported for it.
    package var reportsMoments = false
    package var language: String?
    /// Of the system.
    package var version: String?
    package var appVersion: String?
    package var category: String?
    package var timeZone: String?
    /// Of a browser; nil for every other device.
    package var webPushKeys: WebPushKeys?
    /// Of an Apple device.
    package var startTokens = StartTokens()
    package var aliases: [Alias.Kind: String] = [:]

    package init(tag: UInt32, token: PushToken, created: UInt32) {
        self.tag = tag
        self.token = token
        self.created = created
        updated = created
    }

    /// The class of a device that is registered.
    package var deviceClass: DeviceClass { reportsMoments ? .eligible : .unknown }
}
