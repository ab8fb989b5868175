import Apps
import Bus
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// Why a request about tasks is not done. It reads as RFC 9457 has it, with what is wrong field by field.
enum TaskError: Error, Equatable {
    case access(Gatekeeper.AccessError)
    case body(BodyError)
    case invalid([JSONProblems.Problem])
    case tooLarge(String, Int)
    case idempotencyKey
    case inProgress
    case otherRequest
    case unknownTask
    case unknownDevice
    case notClosed
    /// What completes "… does not answer", or "… is full".
    case unavailable(String)
    case store(StoreError)
    case unexpected

    /// Any error of a handler.
    init(_ error: any Error, log: RefusalLog) {
        switch error {
        case let refusal as TaskError: self = refusal
        case let refusal as Gatekeeper.AccessError: self = .access(refusal)
        case let refusal as BodyError: self = .body(refusal)
        case let error as StoreError:
            log.note(error)
            self = .store(error)
        case let error as BusError where error.isRetriable || error.code == .closed:
            log.warning("a task was not accepted", because: error)
            self = .unavailable(error.code == .full ? "The bus is full." : "The bus does not answer.")
        default:
            log.error("a request failed", because: error)
            self = .unexpected
        }
    }

    func response(challenges: [String] = TaskError.challenges) -> HTTPResponse {
        var headers = headers
        if status == .unauthorized { headers += challenges.map { HTTPField("WWW-Authenticate", $0) } }
        return problem.response(errors: errors, headers: headers)
    }

    var problem: Problem {
        Problem(status, type: type, title: title, detail: detail)
    }

    /// When to come back.
    var headers: [HTTPField] {
        if case .access(let refusal) = self { return refusal.headers }
        return switch status {
        case .serviceUnavailable: [HTTPField("Retry-After", "5")]
        case .conflict: [HTTPField("Retry-After", "1")]
        default: []
        }
    }

    static let challenges = ["Basic realm=\"carillon\", charset=\"UTF-8\"", "Bearer realm=\"carillon\""]

    private var status: HTTPStatus {
        switch self {
        case .access(.unauthenticated): .unauthorized
        case .access(.forbidden): .forbidden
        case .access(.tooManyRequests): .tooManyRequests
        case .access(.unknownApp), .unknownTask, .unknownDevice, .notClosed: .notFound
        case .body(.unknownMediaType): .unsupportedMediaType
        case .access(.ambiguous), .body(.malformed), .invalid, .idempotencyKey: .badRequest
        case .tooLarge: .contentTooLarge
        case .inProgress: .conflict
        case .otherRequest: .unprocessableContent
        case .unavailable, .body(.noRoom): .serviceUnavailable
        case .store(let error): TaskError.status(of: error)
        case .unexpected: .internalServerError
        }
    }

    private static func status(of error: StoreError) -> HTTPStatus {
        switch error.code {
        case .unavailable, .notReady, .full, .refused: .serviceUnavailable
        case .tooMany: .badRequest
        case .corrupt: .internalServerError
        }
    }

    /// A name that stays; nothing needs to be found at it.
    private var type: String {
        switch self {
        case .invalid: "urn:carillon:invalid-fields"
        case .body(.malformed): "urn:carillon:invalid-body"
        case .idempotencyKey: "urn:carillon:invalid-idempotency-key"
        case .inProgress: "urn:carillon:request-in-progress"
        case .otherRequest: "urn:carillon:idempotency-key-reused"
        case .unknownDevice: "urn:carillon:unknown-device"
        case .unknownTask: "urn:carillon:unknown-task"
        case .notClosed: "urn:carillon:task-not-closed"
        default: "about:blank"
        }
    }

    private var title: String? {
        switch self {
        case .invalid: "Fields are not what they must be"
        case .body(.malformed): "The body cannot be read"
        case .idempotencyKey: "The idempotency key cannot be read"
        case .inProgress: "The request is being carried out"
        case .otherRequest: "The idempotency key belongs to another request"
        case .unknownDevice: "There is no such device"
        case .unknownTask: "There is no such task"
        case .notClosed: "The task is not closed"
        default: nil
        }
    }

    private var detail: String {
        switch self {
        case .access(let refusal): TaskError.detail(of: refusal)
        case .body(.malformed(let reason)): reason
        case .body(.noRoom): "Too many request bodies are held in memory just now. Repeat the request later."
        case .body(.unknownMediaType(let name)):
            "The body must be application/json, named by Content-Type, not \(OutsideText.excerpt(name))."
        case .invalid(let problems): problems.count == 1 ? "\(problems[0])" : "\(problems.count) mistakes; see errors."
        case .tooLarge(let what, let maximum): "Too large: \(what) has more than \(maximum) bytes."
        case .idempotencyKey: IdempotencyHeader.rule
        case .inProgress: "The first request with this idempotency key has no answer yet: repeat this one later."
        case .otherRequest: "Another path or body came with it first. A new request needs a new key."
        case .unknownDevice: "The path must hold a subscriber's id, as its registration answered it."
        case .unknownTask: "The app has no task of this id, or it was closed so long ago that nothing is kept of it."
        case .notClosed: "The report is there once the task is closed; until then its progress can be read."
        case .unavailable(let reason):
            "\(reason) The task is not accepted; repeat the request, which an Idempotency-Key makes safe."
        case .store(let error): TaskError.detail(of: error)
        case .unexpected: "A fault of the service."
        }
    }

    private static func detail(of refusal: Gatekeeper.AccessError) -> String {
        switch refusal {
        case .unauthenticated:
            "Give a key that is valid: as the password of Basic authentication, or as Authorization: Bearer KEY."
        case .forbidden(let scope): "The key has no scope \(scope.rawValue) for this app."
        case .unknownApp: "The key grants no app of this name."
        case .ambiguous(let apps):
            "Several apps are granted; choose one by the path: "
                + apps.map { "/apps/\($0)/…" }.joined(separator: ", ")
        case .tooManyRequests: refusal.advice
        }
    }

    private static func detail(of error: StoreError) -> String {
        switch error.code {
        case .unavailable, .refused: "The store does not answer; repeat the request as it is."
        case .notReady: "The registry is not ready; repeat the request as it is."
        case .full: "The store is full; repeat the request as it is."
        case .tooMany: error.message
        case .corrupt: "A fault of the service."
        }
    }

    private var errors: [JSONProblems.Problem] {
        guard case .invalid(let problems) = self else { return [] }
        return problems
    }
}

extension Gatekeeper.AccessError {
    /// When to come back, in whole seconds.
    var headers: [HTTPField] {
        guard case .tooManyRequests(let wait) = self else { return [] }
        return [HTTPField("Retry-After", "\(max(1, (wait.wholeMilliseconds + 999) / 1_000))")]
    }

    /// Of a refusal that only takes time.
    var advice: String { "The key or the address has sent too many requests; Retry-After says when to go on." }
}

extension Problem {
    /// With what is wrong, field by field.
    fileprivate func response(errors: [JSONProblems.Problem], headers: [HTTPField]) -> HTTPResponse {
        guard !errors.isEmpty else { return response(headers: headers) }
        let text = JSONText.object { json in
            json.member("type", type)
            json.member("title", title)
            json.member("status", status.code)
            json.member("detail", detail)
            json.member("errors", json: errors.text)
        }
        return HTTPResponse(
            status, headers: [HTTPField("Content-Type", "application/problem+json")] + headers,
            body: .bytes(Array(text.utf8)))
    }
}
