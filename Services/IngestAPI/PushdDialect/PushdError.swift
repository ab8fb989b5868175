import Apps
import HTTPServer
import PushModel
import ServiceKit
import Store

/// Reasons to refuse a request, rendered for pushd's clients: `error` with pushd's own text where it had one, `detail`
/// for the developer who looks for the cause.
enum PushdError: Error, Equatable {
    case access(Gatekeeper.AccessError)
    case body(BodyError)
    case invalidField(String, InvalidValueError)
    case invalidEvent(String, InvalidValueError)
    case tooManySubscriptions(Int)
    case unknownSubscriber
    case notSubscribed
    /// No device is subscribed to it.
    case unknownEvent
    case task(TaskError)
    case store(StoreError)

    var response: HTTPResponse {
        switch self {
        case .unknownSubscriber, .notSubscribed, .unknownEvent: return .json("null", status: .notFound)
        default:
            var response = PushdError.response(status, error: message, detail: detail)
            response.headers += headers
            return response
        }
    }

    /// Renders an error of the server itself.
    static func response(to problem: Problem) -> HTTPResponse {
        response(problem.status, error: problem.title, detail: problem.detail)
    }

    private static func response(_ status: HTTPStatus, error: String, detail: String?) -> HTTPResponse {
        let text = JSONText.object { json in
            json.member("error", error)
            if let detail { json.member("detail", detail) }
        }
        return .json(text, status: status)
    }

    private var status: HTTPStatus {
        switch self {
        case .access(.unauthenticated), .access(.signedOut): .unauthorized
        case .access(.forbidden), .access(.publicKey), .access(.foreignOrigin), .access(.noSessionToken): .forbidden
        case .access(.tooManyRequests): .tooManyRequests
        case .access(.unknownApp), .unknownSubscriber, .notSubscribed, .unknownEvent: .notFound
        case .body(.unknownMediaType): .unsupportedMediaType
        case .body(.noRoom): .serviceUnavailable
        case .access(.ambiguous), .body(.malformed), .invalidField, .invalidEvent, .tooManySubscriptions: .badRequest
        case .task(let error): error.problem.status
        case .store(let error): PushdError.status(of: error)
        }
    }

    private static func status(of error: StoreError) -> HTTPStatus {
        switch error.code {
        case .unavailable, .notReady, .full, .refused: .serviceUnavailable
        case .tooMany: .badRequest
        case .corrupt: .internalServerError
        }
    }

    private var message: String {
        switch self {
        case .access(.unauthenticated), .access(.signedOut), .access(.forbidden), .access(.publicKey),
            .access(.foreignOrigin), .access(.noSessionToken):
            "Unauthorized"
        case .access(.unknownApp): "No such app"
        case .access(.ambiguous): "Several apps match"
        case .access(.tooManyRequests): "Too many requests"
        case .body(.malformed): "Invalid body"
        case .body(.noRoom): "Too many requests"
        case .body(.unknownMediaType): "Unknown content type"
        // The backtick and the quote are pushd's.
        case .invalidField(let name, _): "Invalid value for `\(name)'"
        case .invalidEvent(let name, _): "Invalid event name \(OutsideText.excerpt(name))"
        case .tooManySubscriptions: "Too many subscriptions"
        case .unknownSubscriber, .notSubscribed, .unknownEvent: "Not found"
        case .task(let error): error.problem.title
        case .store(let error): PushdError.message(of: error)
        }
    }

    private static func message(of error: StoreError) -> String {
        switch error.code {
        case .unavailable, .refused: "The registry is unavailable"
        case .notReady: "The registry is not ready"
        case .full: "The registry is full"
        case .tooMany: "A limit of the registry is exceeded"
        case .corrupt: "Internal error"
        }
    }

    private var detail: String? {
        switch self {
        case .access(.unauthenticated):
            "Send a valid key as the password of Basic authentication, or as Authorization: Bearer KEY."
        case .access(.forbidden(let scope)): "The key has no scope \(scope.rawValue) for this app."
        case .access(.unknownApp): "The key has no access to an app of this name."
        case .access(.ambiguous(let apps)):
            "Choose one by the path: " + apps.map { "/apps/\($0)/…" }.joined(separator: ", ")
        case .access(let error): error.advice
        case .body(.malformed(let reason)): reason
        case .body(.noRoom): "The memory for request bodies is in use. Retry later."
        case .body(.unknownMediaType):
            "The Content-Type must be application/x-www-form-urlencoded or application/json."
        case .invalidField(_, let reason): reason.description
        case .invalidEvent(_, let reason): reason.description
        case .tooManySubscriptions(let count):
            "\(count) subscriptions exceed the limit of \(RegistryBounds.subscriptionsMaximum) for a subscriber."
        case .task(let error): error.problem.detail
        case .store(let error) where error.code == .tooMany: error.message
        case .store, .unknownSubscriber, .notSubscribed, .unknownEvent: nil
        }
    }

    private var headers: [HTTPField] {
        switch self {
        case .access(.unauthenticated):
            [
                HTTPField("WWW-Authenticate", "Basic realm=\"carillon\", charset=\"UTF-8\""),
                HTTPField("WWW-Authenticate", "Bearer realm=\"carillon\""),
            ]
        case .access(let error): error.headers
        case .task(let error): error.headers
        case .body(.noRoom): [HTTPField("Retry-After", "5")]
        case .store where status == .serviceUnavailable: [HTTPField("Retry-After", "5")]
        default: []
        }
    }
}
