package import PushModel

/// Fields of a device set by a registration or an update; fields not given stay unchanged.
package struct DeviceChanges: Hashable, Sendable {
    package var environment: Device.Environment?
    package var contentAvailable: Bool?
    package var language: String?
    package var version: String?
    package var appVersion: String?
    package var category: String?
    package var timeZone: String?
    package var webPushKeys: WebPushKeys?
    package var badge: UInt32?
    /// True at the first moment of the device; false leaves it unchanged.
    package var reportsMoments = false
    /// Those to set, and those to remove, as nil.
    package var startTokens: [ActivityType: PushToken?] = [:]
    /// An empty value removes the alias.
    package var aliases: [Alias.Kind: String]

    package init(
        environment: Device.Environment? = nil, contentAvailable: Bool? = nil, language: String? = nil,
        version: String? = nil, appVersion: String? = nil, category: String? = nil, timeZone: String? = nil,
        webPushKeys: WebPushKeys? = nil, badge: UInt32? = nil, aliases: [Alias.Kind: String] = [:]
    ) {
        self.environment = environment
        self.contentAvailable = contentAvailable
        self.language = language
        self.version = version
        self.appVersion = appVersion
        self.category = category
        self.timeZone = timeZone
        self.webPushKeys = webPushKeys
        self.badge = badge
        self.aliases = aliases
    }

    /// False for a moment, and for the removal of tokens for starting activities, which say nothing about the token of the
    /// device: a refusal of it by the provider remains valid.
    fileprivate var concernsToken: Bool {
        var rest = self
        rest.startTokens = startTokens.filter { $0.value != nil }
        return startTokens.isEmpty ? self != .firstMoment : rest != DeviceChanges()
    }

    /// What a moment changes.
    package static let firstMoment: DeviceChanges = {
        var changes = DeviceChanges()
        changes.reportsMoments = true
        return changes
    }()
}

extension Device {
    package func applying(_ changes: DeviceChanges, at seconds: UInt32) -> Device {
        var device = self
        if changes.concernsToken { device.updated = seconds }
        device.environment = changes.environment ?? environment
        device.contentAvailable = changes.contentAvailable ?? contentAvailable
        device.language = changes.language ?? language
        device.version = changes.version ?? version
        device.appVersion = changes.appVersion ?? appVersion
        device.category = changes.category ?? category
        device.timeZone = changes.timeZone ?? timeZone
        device.webPushKeys = changes.webPushKeys ?? webPushKeys
        device.reportsMoments = reportsMoments || changes.reportsMoments
        for (type, token) in changes.startTokens { device.startTokens[type] = token }
        for (kind, value) in changes.aliases { device.aliases[kind] = value.isEmpty ? nil : value }
        return device
    }
}
