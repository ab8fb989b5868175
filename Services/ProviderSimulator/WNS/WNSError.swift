import HTTP2

/// Why the simulated WNS refuses a push; the raw value is the name in the statistics, and the error description.
enum WNSError: String, Error, CaseIterable, Sendable {
    case badType = "BadType"
    case badContentType = "BadContentType"
    case missingLength = "MissingContentLength"
    case badTTL = "BadTTL"
    case badTag = "BadTag"
    case badCachePolicy = "BadCachePolicy"
    case badRequestForStatus = "BadRequestForStatus"
    case badPayload = "BadPayload"
    case unauthorized = "Unauthorized"
    case forbidden = "Forbidden"
    case unknownChannel = "UnknownChannel"
    case methodNotAllowed = "MethodNotAllowed"
    case limited = "ThrottleLimitExceeded"
    case expiredChannel = "ExpiredChannel"
    case payloadTooLarge = "PayloadTooLarge"
    case internalError = "InternalError"
    case unavailable = "Unavailable"

    var status: Int {
        switch self {
        case .badType, .badContentType, .missingLength, .badTTL, .badTag, .badCachePolicy, .badRequestForStatus,
            .badPayload:
            400
        case .unauthorized: 401
        case .forbidden: 403
        case .unknownChannel: 404
        case .methodNotAllowed: 405
        case .limited: 406
        case .expiredChannel: 410
        case .payloadTooLarge: 413
        case .internalError: 500
        case .unavailable: 503
        }
    }
}
