/// Why the simulated MPNS refuses a push; the raw value is the name in the statistics.
enum MPNSError: String, Error, CaseIterable, Sendable {
    case badTarget = "BadTarget"
    case badClass = "BadNotificationClass"
    case badContentType = "BadContentType"
    case badPayload = "BadPayload"
    case unauthorized = "Unauthorized"
    case forbidden = "Forbidden"
    case expired = "Expired"
    case methodNotAllowed = "MethodNotAllowed"
    case limited = "DailyLimit"
    case inactive = "Inactive"
    case payloadTooLarge = "PayloadTooLarge"
    case internalError = "InternalError"
    case unavailable = "Unavailable"

    var status: Int {
        switch self {
        case .badTarget, .badClass, .badContentType, .badPayload: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .expired: 404
        case .methodNotAllowed: 405
        case .limited: 406
        case .inactive: 412
        case .payloadTooLarge: 413
        case .internalError: 500
        case .unavailable: 503
        }
    }

    /// `X-SubscriptionStatus` and `X-DeviceConnectionStatus`.
    var standing: (subscription: String, connection: String) {
        switch self {
        case .expired: ("Expired", "Disconnected")
        case .limited: ("Active", "Connected")
        case .inactive: ("N/A", "Inactive")
        default: ("N/A", "N/A")
        }
    }
}
