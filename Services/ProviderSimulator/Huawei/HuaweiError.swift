import HTTP2
import ServiceKit

/// The result codes of Huawei's push service; the raw value is the `code` of its answer.
enum HuaweiError: String, Error, CaseIterable, Sendable {
    case success = "80000000"
    case partialSuccess = "80100000"
    case badParameters = "80100001"
    case badStructure = "80100003"
    case badTTL = "80100004"
    case badCollapseKey = "80100013"
    case unauthorized = "80200001"
    case expiredToken = "80200003"
    case noPermission = "80300002"
    case allTokensInvalid = "80300007"
    case payloadTooLarge = "80300008"
    case badTokenCount = "80300010"
    case noHighPriority = "80300011"
    case internalError = "81000001"

    var status: Int {
        switch self {
        case .success, .partialSuccess: 200
        case .badParameters, .badStructure, .badTTL, .badCollapseKey, .noPermission, .allTokensInvalid,
            .payloadTooLarge, .badTokenCount, .noHighPriority:
            400
        case .unauthorized, .expiredToken: 401
        case .internalError: 500
        }
    }

    var message: String {
        switch self {
        case .success: "Success"
        case .partialSuccess: "Some tokens are illegal"
        case .badParameters: "Some request parameters are incorrect"
        case .badStructure: "Incorrect message structure"
        case .badTTL: "The message expiration time is earlier than the current time"
        case .badCollapseKey: "The collapse_key message field is invalid"
        case .unauthorized: "OAuth authentication error"
        case .expiredToken: "OAuth token expired"
        case .noPermission: "The current app does not have the permission to send push messages"
        case .allTokensInvalid: "All tokens are invalid"
        case .payloadTooLarge: "The message body size exceeds the default value set by the system"
        case .badTokenCount: "The number of tokens in the message body exceeds the default value"
        case .noHighPriority: "You are not authorized to send high-priority notification messages"
        case .internalError: "System error"
        }
    }
}
