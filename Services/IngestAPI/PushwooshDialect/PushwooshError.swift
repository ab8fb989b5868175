import Apps
import HTTPServer
import JSONKit
import ServiceKit

/// Reasons to refuse a request, rendered for Pushwoosh's clients. A mistake in a request is 210 in an answer whose HTTP
/// status is 200; other refusals have the same code in both places.
enum PushwooshError: Error, Equatable {
    case task(TaskError)
    /// The app has no device with the hwid, or none that can have Live Activities.
    case unknownDevice(hwid: String)

    private static let mistake = 210

    var response: HTTPResponse {
        var response = PushwooshAnswer.response(code, status: status, message: message)
        if case .task(let error) = self { response.headers += error.headers.filter { _ in status != .ok } }
        return response
    }

    /// Renders an error of the server itself.
    static func response(to problem: Problem) -> HTTPResponse {
        PushwooshAnswer.response(problem.status.code, status: problem.status, message: problem.detail)
    }

    private var code: Int { status == .ok ? PushwooshError.mistake : status.code }

    private var status: HTTPStatus {
        guard case .task(let error) = self else { return .ok }
        return switch error {
        case .access(.tooManyRequests): .tooManyRequests
        // Pushwoosh does not tell a wrong key from one without the right.
        case .access, .tooManyDevices: .forbidden
        case .body(.malformed): .badRequest
        case .inProgress: .conflict
        default: error.problem.status.code < 500 ? .ok : error.problem.status
        }
    }

    private var message: String {
        switch self {
        case .unknownDevice(let hwid):
            "hwid: the app has no iOS device \(OutsideText.excerpt(hwid)); call registerDevice first."
        case .task(.access(.tooManyRequests(let status))): Gatekeeper.AccessError.tooManyRequests(status).advice
        case .task(.access(let error)): "Token restrictions forbid this operation. \(PushwooshError.reason(of: error))"
        case .task(.invalid(let problems)): PushwooshError.text(of: problems)
        case .task(.unknownActivity), .task(.activityEnded), .task(.activityExists): "live_activity_id: \(detail)"
        case .task(.otherRequest), .task(.idempotencyKey): "Idempotency-Key: \(detail)"
        case .task: detail
        }
    }

    private var detail: String {
        guard case .task(let error) = self else { return "" }
        return error.problem.detail
    }

    private static func reason(of error: Gatekeeper.AccessError) -> String {
        switch error {
        case .unauthenticated:
            "Send a valid key: a publisher in auth, an app as Authorization: Token KEY."
        case .unknownApp: "The key has no access to this application."
        case .publicKey: "The key is public; these calls need a private one."
        default: TaskError.access(error).problem.detail
        }
    }

    private static func text(of problems: [JSONProblems.Problem]) -> String {
        guard let first = problems.first else { return "Invalid fields." }
        return problems.count == 1 ? "\(first)" : "\(first) (the first of \(problems.count) errors)"
    }
}
