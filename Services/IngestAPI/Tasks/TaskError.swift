import Apps
import Bus
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// Reasons to refuse a request about tasks, or a new device. The response is a problem of RFC 9457 with the errors of
/// each field.
enum TaskError: Error, Equatable {
    case access(Gatekeeper.AccessError)
    case body(BodyError)
    case invalid([JSONProblems.Problem])
    case tooLarge(String, Int)
    case idempotencyKey
    case inProgress
    case otherRequest
    case unknownTask
    /// The id is malformed, or only the report of the task is left.
    case unknownDevice
    /// The app has no device with the id in the path.
    case notRegistered
    case notClosed
    case unknownAudience
    /// No device is subscribed to it.
    case unknownTopic
    case noWebPushKey
    case unknownActivity(ActivityID)
    case activityEnded(ActivityID)
    case activityExists(ActivityID)
    /// The app's other count, or those of other apps, are still running.
    case counting
    /// Another request reads the dead letters.
    case readingLetters
    /// The app has no dead letter at this position.
    case unknownLetter
    /// `limits.devices` of the app.
    case tooManyDevices(Int)
    /// The reason, as a whole sentence.
    case unavailable(String)
    /// The reason, for the log.
    case receiptsNotDurable(String)
    case store(StoreError)
    case unexpected

    static func invalidField(_ path: String, message: String) -> TaskError {
        .invalid([JSONProblems.Problem(path: path, message: message)])
    }

    /// Converts any error of a handler.
    init(_ error: any Error, log: RefusalLog) {
        switch error {
        case let error as TaskError:
            if case .receiptsNotDurable = error { log.warning("receipts not accepted", because: error) }
            self = error
        case let error as Gatekeeper.AccessError: self = .access(error)
        case let error as BodyError: self = .body(error)
        case let error as StoreError:
            log.note(error)
            self = .store(error)
        case let error as BusError where error.isRetriable || error.code == .closed:
            log.warning("request not completed", because: error)
            self = .unavailable(error.code == .full ? "The bus is full." : "The bus is unavailable.")
        default:
            log.error("request failed", because: error)
            self = .unexpected
        }
    }

    func response(challenges: [String] = TaskError.challenges) -> HTTPResponse {
        var headers = headers
        let challenges = self == .access(.signedOut) ? [ConsoleSessions.challenge] : challenges
        if status == .unauthorized { headers += challenges.map { HTTPField("WWW-Authenticate", $0) } }
        return problem.response(errors: errors, headers: headers)
    }

    var problem: Problem {
        Problem(status, type: type, title: title, detail: detail)
    }

    /// `Retry-After`.
    var headers: [HTTPField] {
        if case .access(let error) = self { return error.headers }
        return switch status {
        case .serviceUnavailable: [HTTPField("Retry-After", "5")]
        case .conflict, .tooManyRequests: [HTTPField("Retry-After", "1")]
        default: []
        }
    }

    static let challenges = ["Basic realm=\"carillon\", charset=\"UTF-8\"", "Bearer realm=\"carillon\""]

    private var status: HTTPStatus {
        switch self {
        case .access(.unauthenticated), .access(.signedOut): .unauthorized
        // The operator has to act: waiting (429, 503) and another body (400, 422) do not help.
        case .access(.forbidden), .access(.publicKey), .access(.foreignOrigin), .access(.noSessionToken),
            .tooManyDevices:
            .forbidden
        case .access(.tooManyRequests), .counting, .readingLetters: .tooManyRequests
        case .access(.unknownApp), .unknownTask, .unknownDevice, .notRegistered, .notClosed, .unknownAudience,
            .unknownTopic, .noWebPushKey, .unknownActivity, .unknownLetter:
            .notFound
        case .body(.unknownMediaType): .unsupportedMediaType
        case .access(.ambiguous), .body(.malformed), .invalid, .idempotencyKey: .badRequest
        case .tooLarge: .contentTooLarge
        case .inProgress, .activityEnded, .activityExists: .conflict
        case .otherRequest: .unprocessableContent
        case .unavailable, .receiptsNotDurable, .body(.noRoom): .serviceUnavailable
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

    /// A stable identifier; it need not resolve to a document.
    private var type: String {
        switch self {
        case .invalid: "urn:carillon:invalid-fields"
        case .body(.malformed): "urn:carillon:invalid-body"
        case .idempotencyKey: "urn:carillon:invalid-idempotency-key"
        case .inProgress: "urn:carillon:request-in-progress"
        case .otherRequest: "urn:carillon:idempotency-key-reused"
        case .unknownDevice, .notRegistered: "urn:carillon:unknown-device"
        case .unknownTask: "urn:carillon:unknown-task"
        case .notClosed: "urn:carillon:task-not-closed"
        case .unknownAudience: "urn:carillon:unknown-audience"
        case .noWebPushKey: "urn:carillon:no-web-push-key"
        case .unknownTopic: "urn:carillon:unknown-topic"
        case .counting: "urn:carillon:count-in-progress"
        case .readingLetters: "urn:carillon:dead-letters-in-use"
        case .unknownLetter: "urn:carillon:unknown-dead-letter"
        case .unknownActivity: "urn:carillon:unknown-activity"
        case .activityEnded: "urn:carillon:activity-ended"
        case .activityExists: "urn:carillon:activity-exists"
        case .tooManyDevices: "urn:carillon:too-many-devices"
        default: "about:blank"
        }
    }

    private var title: String? {
        switch self {
        case .invalid: "Invalid fields"
        case .body(.malformed): "Invalid body"
        case .idempotencyKey: "Invalid idempotency key"
        case .inProgress: "Request in progress"
        case .otherRequest: "Idempotency key reused"
        case .unknownDevice, .notRegistered: "Unknown device"
        case .unknownTask: "Unknown task"
        case .notClosed: "Task not closed"
        case .unknownAudience: "Unknown audience"
        case .unknownTopic: "Unknown topic"
        case .noWebPushKey: "No Web Push key"
        case .counting: "Count in progress"
        case .readingLetters: "Dead letters in use"
        case .unknownLetter: "Unknown dead letter"
        case .unknownActivity: "Unknown activity"
        case .activityEnded: "Activity ended"
        case .activityExists: "Activity exists"
        case .tooManyDevices: "Too many devices"
        default: nil
        }
    }

    private var detail: String {
        switch self {
        case .access(let error): TaskError.detail(of: error)
        case .body(.malformed(let reason)): reason
        case .body(.noRoom): "The memory for request bodies is in use. Retry later."
        case .body(.unknownMediaType(let name)):
            "The Content-Type must be application/json, not \(OutsideText.excerpt(name))."
        case .invalid(let problems): problems.count == 1 ? "\(problems[0])" : "\(problems.count) errors; see errors."
        case .tooLarge(let what, let maximum): "The request is too large: \(what) has more than \(maximum) bytes."
        case .idempotencyKey: IdempotencyHeader.rule
        case .inProgress: "The first request with this idempotency key is still in progress. Retry later."
        case .otherRequest: "The key was first used with another path or body. Use a new key for a new request."
        case .unknownDevice:
            "Check the subscriber id in the path: it must be as the registration returned it. If it is, the task's results "
                + "by device have expired, and only its report is left."
        case .notRegistered: "The app has no device with this id: it was removed, or the id is not its own."
        case .unknownTask: "The app has no task with this id, or the task was closed so long ago that it has expired."
        case .notClosed: "The report is available once the task is closed. Until then, read the task for its progress."
        case .unknownAudience: "The app has no saved audience of this name."
        case .noWebPushKey:
            "The app's file has no providers.webpush, or its key file cannot be used. The command carillon apps web-push "
                + "makes a key for the app; carillon apps check names the problem of an existing one."
        case .unknownTopic: "No device of the app is subscribed to this topic."
        case .counting:
            "Counting this audience reads the records of devices, which one request of an app does at a time. Retry later."
        case .readingLetters:
            "Another request is reading the dead letters, which one request does at a time. Retry later."
        case .unknownLetter:
            "There is no dead letter at this position that belongs to a task of the app, or the task has expired."
        case .unknownActivity(let id):
            "The app has no Live Activity \(OutsideText.excerpt(id.text)): it was not started, no device reported a token for "
                + "it, or it ended more than 12 hours ago."
        case .activityEnded(let id): "The Live Activity \(OutsideText.excerpt(id.text)) has ended."
        case .activityExists(let id):
            "The Live Activity \(OutsideText.excerpt(id.text)) is running. Update it, or start one of another id."
        case .tooManyDevices(let maximum):
            "The app has reached limits.devices of its app file: \(maximum). Registered devices can still be changed "
                + "and removed; a removed device makes room for a new one."
        case .unavailable(let reason):
            "\(reason) The request was not completed. Retry it; an Idempotency-Key makes it safe to repeat a task."
        case .receiptsNotDurable:
            "The bus is unavailable. Retry the same request; receipts are counted once."
        case .store(let error): TaskError.detail(of: error)
        case .unexpected: "Internal error."
        }
    }

    private static func detail(of error: Gatekeeper.AccessError) -> String {
        switch error {
        case .unauthenticated:
            "Send a valid key as the password of Basic authentication, or as Authorization: Bearer KEY."
        case .forbidden(let scope): "The key has no scope \(scope.rawValue) for this app."
        case .unknownApp: "The key has no access to an app of this name."
        case .ambiguous(let apps):
            "The key has access to several apps. Choose one by the path: "
                + apps.map { "/apps/\($0)/…" }.joined(separator: ", ")
        case .publicKey, .foreignOrigin, .signedOut, .noSessionToken, .tooManyRequests: error.advice
        }
    }

    private static func detail(of error: StoreError) -> String {
        switch error.code {
        case .unavailable, .refused: "The store is unavailable. Retry the same request."
        case .notReady: "The registry is not ready. Retry the same request."
        case .full: "The store is full. Retry the same request."
        case .tooMany: error.message
        case .corrupt: "Internal error."
        }
    }

    private var errors: [JSONProblems.Problem] {
        guard case .invalid(let problems) = self else { return [] }
        return problems
    }
}

extension Gatekeeper.AccessError {
    /// `Retry-After` and the fields of the rate limit.
    var headers: [HTTPField] {
        guard case .tooManyRequests(let status) = self else { return [] }
        return [status.retryAfter] + status.headers
    }

    /// The detail of a 429, or of a 403 for a public key.
    var advice: String {
        switch self {
        case .publicKey:
            "The key is public: it may only register, read and remove the device whose token the request presents. "
                + "Use a private key."
        case .foreignOrigin:
            "The key is for pages of other origins. Add this origin to the key's origins in the app file."
        case .signedOut: "The session of the console has ended. Sign in again."
        case .noSessionToken:
            "A change with a session of the console needs the session's token in \(ConsoleSessions.tokenField)."
        default: "The key or the address exceeds its rate limit. Retry after the time in Retry-After."
        }
    }
}

extension Problem {
    /// The response with the errors of each field.
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
