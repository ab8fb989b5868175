import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel

/// Schedules messages. Of the requests with one key of the publisher the last counts, and a repeat of the last one has
/// no effect.
struct ContextPushScheduling: Sendable {
    let submission: TaskSubmission
    let book: ContextPushBook
    let reading: ContextPushReading

    @Sendable func schedule(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (form, caller) = try await reading.read(request, of: unnamed) { fields, bundle in
            ContextPushForm(fields, bundle: bundle)
        }
        guard let key = form.name.replacementKey(in: caller.app.id) else {
            return try await submit(form, in: request, of: caller, key: nil, repeats: { _ in nil })
        }
        var predecessor = "none"
        if let current = try await book.current(key) {
            let isCancelled = try await isCancelled(current, in: caller.app.id)
            if !isCancelled, let task = try await book.task(current), form.isOf(task) {
                try await submission.complete(current, key: key)
                var response = ContextPushScheduling.answer(task, to: caller)
                response.headers.append(IdempotentAnswers.replayed)
                return response
            }
            predecessor = isCancelled ? "\(current) cancelled" : "\(current)"
        }
        return try await submit(
            form, in: request, of: caller, key: submissionKey(form, key: key, predecessor: predecessor),
            // A repeat after the task's content is forgotten.
            repeats: { submissionKey(form, key: key, predecessor: "\($0.id)") })
    }

    /// Two identical requests at once have the same, and one is carried out. After another request or a cancel the same
    /// request is a new one.
    private func submissionKey(_ form: ContextPushForm, key: ReplacementKey, predecessor: String) -> SubmissionKey {
        let print = Base64URL.encode(form.fingerprint)
        return SubmissionKey(
            name: "\u{1}contextpush \(key.text) \(print) \(predecessor)", fingerprint: form.fingerprint)
    }

    private func submit(
        _ form: ContextPushForm, in request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        repeats: (PushTask) -> SubmissionKey?
    ) async throws -> HTTPResponse {
        do {
            return try await submission.submit(
                request, of: caller, key: key,
                drafts: { [form.draft($0.id, app: caller.app.id, defaults: caller.app.defaults)] },
                answer: { ContextPushScheduling.answer($0[0], to: caller) }, repeats: { repeats($0[0]) })
        } catch TaskError.invalid(let problems) {
            throw TaskError.invalid(
                problems.map {
                    JSONProblems.Problem(path: ContextPushContent.field(of: $0.path), message: $0.message)
                })
        }
    }

    private func isCancelled(_ task: TaskID, in app: AppID) async throws -> Bool {
        guard let known = try await book.known(task, in: app) else { return false }
        return try await book.tasks.status(of: known).isCancelled
    }

    private static func answer(_ task: PushTask, to caller: AuthorizedCaller) -> HTTPResponse {
        let warnings = MissingProviders(app: caller.app).warnings(of: task.content).map {
            JSONProblems.Problem(path: "platform", message: $0.message)
        }
        let text = JSONText.object { json in
            json.member("status", "scheduled")
            json.member("idempotency_key", task.reported["idempotency_key"]?.text ?? "\(task.id)")
            json.member("message_id", "\(task.id)")
            if let window = task.window {
                json.member("planned_delivery_method", window.method.rawValue)
                json.member("is_compared", window.isCompared)
                json.member("deliver_until", "\(window.ends)")
            }
            if !warnings.isEmpty { json.member("warnings", json: warnings.contextPushText) }
        }
        return .json(text)
    }
}
