import HTTPServer
import ServiceKit

/// Why a stream is not opened, in pushd's form: `error` with its text where it had one, and `detail`.
enum SubscribeError: Error, Equatable {
    case unauthenticated
    /// Neither key nor address has the scope.
    case noScope
    case unknownApp
    case ambiguous([String])
    case notInTicket(String)
    case notAcceptable
    case queryTooLong
    case invalid(String)
    case refused(EventHub.Refusal)

    private static let retrySeconds = "5"

    var response: HTTPResponse {
        let text = JSONText.object { json in
            json.member("error", error)
            json.member("detail", detail)
        }
        var response = HTTPResponse.json(text, status: status)
        switch self {
        case .unauthenticated:
            response.headers.append(HTTPField("WWW-Authenticate", "Bearer realm=\"carillon\""))
        case .refused: response.headers.append(HTTPField("Retry-After", SubscribeError.retrySeconds))
        default: break
        }
        return response
    }

    /// The raw value is a label of a metric.
    enum Reason: String, CaseIterable {
        case unauthenticated
        case forbidden
        case unknownApp = "unknown_app"
        case notAcceptable = "not_acceptable"
        case invalid
        case draining
        case starting
        case full
        case appFull = "app_full"
    }

    var reason: Reason {
        switch self {
        case .unauthenticated: .unauthenticated
        case .noScope, .notInTicket: .forbidden
        case .unknownApp: .unknownApp
        case .notAcceptable: .notAcceptable
        case .ambiguous, .queryTooLong, .invalid: .invalid
        case .refused(.draining): .draining
        case .refused(.starting): .starting
        case .refused(.full): .full
        case .refused(.appFull): .appFull
        }
    }

    private var status: HTTPStatus {
        switch self {
        case .unauthenticated: .unauthorized
        case .noScope, .notInTicket: .forbidden
        case .unknownApp: .notFound
        case .ambiguous, .invalid: .badRequest
        case .notAcceptable: 406
        case .queryTooLong: 414
        case .refused: .serviceUnavailable
        }
    }

    private var error: String {
        switch self {
        case .unauthenticated, .noScope, .notInTicket: "Unauthorized"
        case .unknownApp: "No such app"
        case .ambiguous: "Several apps match"
        case .notAcceptable: "Not acceptable"
        case .queryTooLong: "Query too long"
        case .invalid: "Invalid query"
        case .refused: "Not now"
        }
    }

    private var detail: String {
        switch self {
        case .unauthenticated:
            "Send a valid ticket in the query, a key as Authorization: Bearer KEY, or call from an allowed address; a page "
                + "of another site needs a ticket."
        case .noScope: "The caller has no scope listen for this app."
        case .unknownApp: "The caller has no access to an app of this name."
        case .ambiguous(let apps):
            "Choose one by the path: " + apps.map { "/apps/\($0)/subscribe" }.joined(separator: ", ")
        case .notInTicket(let topic):
            "The ticket is not for \(OutsideText.excerpt(topic)); ask for one with this topic."
        case .notAcceptable: "Send the header Accept: text/event-stream."
        case .queryTooLong: "The query may have \(SubscribeRequest.queryBytesMaximum) bytes; ask for fewer topics."
        case .invalid(let reason): reason
        case .refused(.draining), .refused(.starting): "The service is starting or stopping. Retry later."
        case .refused(.full), .refused(.appFull): "The service has as many streams as it may have. Retry later."
        }
    }
}
