/// Why the simulated receiver of HTTP pushes refuses one; the raw value is its `error`.
enum HTTPReceiverError: String, Error, CaseIterable, Sendable {
    case badContentType = "bad_content_type"
    case badPayload = "bad_payload"
    case missingSignature = "missing_signature"
    case badSignature = "bad_signature"
    case staleSignature = "stale_signature"
    case forbidden = "forbidden"
    case unknownDevice = "unknown_device"
    case methodNotAllowed = "method_not_allowed"
    case timeout = "timeout"
    case gone = "gone"
    case limited = "limited"
    case internalError = "internal"
    case unavailable = "unavailable"

    var status: Int {
        switch self {
        case .badContentType, .badPayload: 400
        case .missingSignature, .badSignature, .staleSignature: 401
        case .forbidden: 403
        case .unknownDevice: 404
        case .methodNotAllowed: 405
        case .timeout: 408
        case .gone: 410
        case .limited: 429
        case .internalError: 500
        case .unavailable: 503
        }
    }
}
