import HTTPServer
import JSONKit
import ServiceKit

/// Reasons to refuse a request. ContextPush does not document its errors; these have a text, and a list of the invalid
/// fields if there are any.
enum ContextPushError: Error, Equatable {
    case task(TaskError)
    /// No message has the key.
    case unknownMessage

    var response: HTTPResponse {
        var response = ContextPushError.response(status, detail: detail, problems: problems)
        response.headers += headers
        return response
    }

    /// Renders an error of the server itself.
    static func response(to problem: Problem) -> HTTPResponse {
        response(problem.status, detail: problem.detail, problems: [])
    }

    private static func response(
        _ status: HTTPStatus, detail: String, problems: [JSONProblems.Problem]
    ) -> HTTPResponse {
        let text = JSONText.object { json in
            json.member("error", detail)
            if !problems.isEmpty { json.member("errors", json: problems.contextPushText) }
        }
        return .json(text, status: status)
    }

    private var status: HTTPStatus {
        switch self {
        // An unknown `bundle_id` is not told from one of others.
        case .task(.access(.unknownApp)): .forbidden
        case .task(let error): error.problem.status
        case .unknownMessage: .notFound
        }
    }

    private var detail: String {
        switch self {
        case .task(.access(.unauthenticated)): "Send a valid key as Authorization: Token KEY."
        case .task(.access(.unknownApp)): "The key has no access to an app with this bundle_id."
        case .task(.unavailable(let reason)):
            "\(reason) The request was not completed. Repeat it; with an idempotency_key it schedules one message."
        case .task(let error): error.problem.detail
        case .unknownMessage:
            "No message has this idempotency_key for this user, platform and campaign: it was never used, or its "
                + "message is forgotten, or the key was generated. To be cancelled, a message must be scheduled with an "
                + "idempotency_key of its own."
        }
    }

    private var problems: [JSONProblems.Problem] {
        guard case .task(.invalid(let problems)) = self else { return [] }
        return problems
    }

    private var headers: [HTTPField] {
        guard case .task(let error) = self else { return [] }
        let challenges = status == .unauthorized ? [HTTPField("WWW-Authenticate", "Token realm=\"carillon\"")] : []
        return error.headers + challenges
    }
}

extension [JSONProblems.Problem] {
    /// A JSON array, also for warnings.
    var contextPushText: String {
        let list = map { problem in
            JSONText.object { json in
                json.member("field", problem.path)
                json.member("message", problem.message)
            }
        }
        return "[\(list.joined(separator: ","))]"
    }
}
