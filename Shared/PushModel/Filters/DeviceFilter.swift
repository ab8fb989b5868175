package import ServiceKit

/// A condition that the record of a device meets or not.
package enum DeviceFilter: Hashable, Sendable {
    case platform(Platform)
    case language(LanguageRange)
    case appVersion(AppVersionRange)
    /// The device's last registration or change.
    case seen(TimeRange)
    case registered(TimeRange)
    case timeZone(TimeZonePattern)
    /// Whether the device belongs to a user.
    case user(Bool)

    /// Relative times are counted from the moment. A device without the field in question does not match.
    package func matches(_ device: DeviceGlance, at moment: Timestamp) -> Bool {
        switch self {
        case .platform(let platform): Platform(device.kind) == platform
        case .language(let range): range.contains(device.language)
        case .appVersion(let range): AppVersion(device.appVersion).map { range.contains($0) } ?? false
        case .seen(let range): range.contains(seconds: device.updated, at: moment)
        case .registered(let range): range.contains(seconds: device.created, at: moment)
        case .timeZone(let pattern): pattern.matches(device.timeZone)
        case .user(let isWanted): device.hasUser == isWanted
        }
    }
}
