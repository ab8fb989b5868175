import Apps
import HTTPServer
import JSONKit
import ServiceKit

/// Reasons to refuse a request, rendered for AppMetrica's clients: a list of errors, the status and a message.
enum AppMetricaError: Error, Equatable {
    case task(TaskError)
    case unknownGroup
    case nameTaken
    case tooManyGroups
    case unknownTransfer
    /// The first request was interrupted so long ago that it is not known whether it was sent.
    case interrupted

    /// The documented values of `error_type`.
    private enum Kind: String {
        case invalidParameter = "invalid_parameter"
        case missingParameter = "missing_parameter"
        case query = "query_error"
        case unauthorized
        case accessDenied = "access_denied"
        case notFound = "not_found"
        case conflict
        case quota
        case backend = "backend_error"

        init(_ status: HTTPStatus) {
            switch status {
            case .unauthorized: self = .unauthorized
            case .forbidden: self = .accessDenied
            case .notFound: self = .notFound
            case .conflict: self = .conflict
            case .tooManyRequests: self = .quota
            default: self = status.code < 500 ? .query : .backend
            }
        }
    }

    private struct Entry {
        let kind: Kind
        let message: String
        /// The field or the parameter.
        var location: String?

        init(_ kind: Kind, message: String) {
            self.kind = kind
            self.message = message
        }

        init(_ problem: JSONProblems.Problem) {
            kind = problem.isMissing ? .missingParameter : .invalidParameter
            message = "\(problem)"
            location = problem.path.isEmpty ? nil : problem.path
        }

        var text: String {
            JSONText.object { json in
                json.member("error_type", kind.rawValue)
                json.member("message", message)
                if let location { json.member("location", location) }
            }
        }
    }

    var response: HTTPResponse {
        var response = AppMetricaError.response(status, entries: entries)
        response.headers += headers
        return response
    }

    /// Renders an error of the server itself.
    static func response(to problem: Problem) -> HTTPResponse {
        response(problem.status, entries: [Entry(Kind(problem.status), message: problem.detail)])
    }

    private static func response(_ status: HTTPStatus, entries: [Entry]) -> HTTPResponse {
        let text = JSONText.object { json in
            json.member("errors", json: "[\(entries.map(\.text).joined(separator: ","))]")
            json.member("code", status.code)
            json.member("message", entries.first?.message ?? status.title)
        }
        return .json(text, status: status)
    }

    private var status: HTTPStatus {
        switch self {
        // An unknown `app_id` is not told from one of others.
        case .task(.access(.unknownApp)): .forbidden
        case .task(let error): error.problem.status
        case .unknownGroup, .unknownTransfer: .notFound
        case .nameTaken, .interrupted: .conflict
        case .tooManyGroups: .badRequest
        }
    }

    private var entries: [Entry] {
        switch self {
        case .task(.invalid(let problems)): problems.map { Entry($0) }
        case .task(.access(.unauthenticated)):
            [
                Entry(
                    .unauthorized,
                    message: "Send a valid key as Authorization: OAuth KEY, or as the parameter "
                        + "\(AppMetricaDialect.keyParameter).")
            ]
        case .task(.access(.unknownApp)): [Entry(.accessDenied, message: "The key has no access to this app_id.")]
        case .task(let error): [Entry(Kind(status), message: error.problem.detail)]
        case .unknownGroup:
            [Entry(.notFound, message: "The key has access to no group with this id.")]
        case .unknownTransfer: [Entry(.notFound, message: "The key has access to no such transfer.")]
        case .interrupted:
            [
                Entry(
                    .conflict,
                    message:
                        "The first request with this client_transfer_id was interrupted more than a day ago, and may "
                        + "have been sent. Use a new client_transfer_id to send it now.")
            ]
        case .nameTaken:
            [
                Entry(
                    .conflict,
                    message: "The app has another group of this name, or one is being created. Choose another name.")
            ]
        case .tooManyGroups:
            [
                Entry(
                    .invalidParameter,
                    message: "The app has the maximum of groups, archived ones included. Rename and restore one.")
            ]
        }
    }

    private var headers: [HTTPField] {
        guard case .task(let error) = self else { return [] }
        let challenges = status == .unauthorized ? [HTTPField("WWW-Authenticate", "OAuth realm=\"carillon\"")] : []
        return error.headers + challenges
    }
}
