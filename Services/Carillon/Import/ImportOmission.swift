/// Why an import leaves out a subscriber, or a part of one that it takes over. The raw value is the name in reports.
enum ImportOmission: String, CaseIterable, Sendable {
    /// Listed, but without a record.
    case missing
    /// A record without protocol, token or time of its last update.
    case incomplete
    case unknownProtocol = "unknown_protocol"
    case unsupportedProtocol = "unsupported_protocol"
    /// A browser without the keys for which a push must be encrypted.
    case missingKeys = "missing_keys"
    case invalidToken = "invalid_token"
    /// Another subscriber has the token.
    case duplicateToken = "duplicate_token"
    /// The app has the devices that `limits.devices` allows.
    case deviceLimit = "device_limit"
    /// A subscription to an event whose name is not allowed.
    case invalidEvent = "invalid_event"
    /// Subscriptions beyond the maximum of a device.
    case tooManySubscriptions = "too_many_subscriptions"
    /// A field with a value that is not allowed.
    case invalidField = "invalid_field"

    /// True if the subscriber is taken over without what is left out.
    var isPart: Bool {
        switch self {
        case .missing, .incomplete, .unknownProtocol, .unsupportedProtocol, .missingKeys, .invalidToken,
            .duplicateToken, .deviceLimit:
            false
        case .invalidEvent, .tooManySubscriptions, .invalidField: true
        }
    }
}
