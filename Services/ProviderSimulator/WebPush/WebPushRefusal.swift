/// Why the simulated Web Push service refuses a push; the raw value is the name in the statistics and, except at the
/// addresses of Apple's service, in the answer.
enum WebPushRefusal: String, Error, CaseIterable, Sendable {
    case badTTL = "BadTTL"
    case badUrgency = "BadUrgency"
    case badTopic = "BadTopic"
    case badContentEncoding = "BadContentEncoding"
    case badContentLength = "BadContentLength"
    /// A real service cannot see this; the browser drops the push.
    case undecipherable = "Undecipherable"
    /// The content claims to be a declarative message and is not a complete one. A browser shows nothing.
    case badDeclarativeMessage = "BadDeclarativeMessage"
    case missingAuthorization = "MissingAuthorization"
    case badAuthorization = "BadAuthorization"
    case badAudience = "BadAudience"
    case badExpiry = "BadExpiry"
    case badSubject = "BadSubject"
    case foreignKey = "ForeignKey"
    case forbidden = "Forbidden"
    case unknownSubscription = "UnknownSubscription"
    case methodNotAllowed = "MethodNotAllowed"
    case gone = "Gone"
    case payloadTooLarge = "PayloadTooLarge"
    case throttled = "Throttled"
    case internalError = "InternalError"
    case unavailable = "Unavailable"

    var status: Int {
        switch self {
        case .badTTL, .badUrgency, .badTopic, .badContentEncoding, .badContentLength, .undecipherable,
            .badDeclarativeMessage:
            400
        case .missingAuthorization, .badAuthorization, .badAudience, .badExpiry, .badSubject: 401
        case .foreignKey, .forbidden: 403
        case .unknownSubscription: 404
        case .methodNotAllowed: 405
        case .gone: 410
        case .payloadTooLarge: 413
        case .throttled: 429
        case .internalError: 500
        case .unavailable: 503
        }
    }

    /// The sentence beside it, where a push service says more than the status.
    var message: String? {
        self == .foreignKey ? "VAPID public key mismatch" : nil
    }

    /// Apple answers every wrong token alike, and a key of another subscription with 400.
    var asApple: (status: Int, reason: String) {
        switch self {
        case .missingAuthorization, .badAuthorization, .badAudience, .badExpiry, .badSubject: (403, "BadJwtToken")
        case .foreignKey: (400, "VapidPkHashMismatch")
        case .badTTL: (400, "BadWebPushTTL")
        case .badTopic: (400, "BadWebPushTopic")
        case .badUrgency: (400, "BadWebPushUrgency")
        case .unknownSubscription: (404, "BadPath")
        case .gone: (410, "Unregistered")
        case .throttled: (429, "TooManyRequests")
        case .internalError: (500, "InternalServerError")
        case .unavailable: (503, "ServiceUnavailable")
        default: (status, rawValue)
        }
    }
}
