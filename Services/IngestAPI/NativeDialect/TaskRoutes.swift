import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// `/v1/tasks` and the routes below it.
struct TaskRoutes: Sendable {
    let submission: TaskSubmission
    let book: TaskBook
    let cancellation: TaskCancellation
    let counting: AudienceCount
    let audiences: AudienceBook
    let reading: BodyReading

    @Sendable func create(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let isDryRun = try TaskQuery.isDryRun(call.request)
        let draft = try await draft(call)
        guard !isDryRun else { return try await count(try await expand(draft, call: call), call: call) }
        return try await submission.submit(
            call.request, of: call.caller, key: SubmissionKey(header: call.request),
            drafts: { _ in try await expand(draft, call: call).forEachUser },
            answer: { tasks in
                CreatedTasks(
                    tasks: tasks, warnings: MissingProviders(app: call.caller.app).warnings(of: tasks[0].content)
                ).response(below: call.base)
            })
    }

    /// Renders what providers would get, and accepts nothing.
    @Sendable func preview(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let draft = try await expand(try await draft(call), call: call)
        return .json(try await submission.preview(draft, in: call.request, of: call.caller).text)
    }

    @Sendable func list(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let query = try TaskQuery(call.request)
        let page =
            query.isOfScheduled
            ? try await book.scheduled(of: call.app, after: query.before, limit: query.limit)
            : try await book.page(of: call.app, before: query.before, limit: query.limit)
        return .json(page.text)
    }

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        .json(try await book.status(of: try await task(call)).text)
    }

    /// The task as it can be posted again.
    @Sendable func content(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        guard case .kept(let task) = try await task(call) else { throw TaskError.unknownTask }
        let form = AcceptedTaskForm(task, of: call.caller.app, at: book.time.now)
        var response = HTTPResponse.json(JSON.object(form.json).compactText)
        if !form.omitted.isEmpty {
            response.headers.append(HTTPField("Carillon-Omitted", form.omitted.joined(separator: ", ")))
        }
        return response
    }

    @Sendable func report(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let task = try await task(call)
        guard let report = try await book.report(of: task) else { throw TaskError.notClosed }
        return HTTPResponse(.ok, headers: [HTTPField("Content-Type", "application/json")], body: .bytes(report))
    }

    @Sendable func trace(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let task = try await task(call)
        guard let device = DeviceID(call.request.parameter("device")) else { throw TaskError.unknownDevice }
        return .json(try await book.trace(of: device, in: task).text)
    }

    /// Allowed for the key that posted the task, and for callers with the scope `admin`.
    @Sendable func cancel(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let known = try await self.task(call)
        // Cancelling a closed task has no effect, so it needs no further scope.
        guard case .kept(let task) = known else { return try await cancelled(known, call: call) }
        let isOwn = task.credential == call.caller.credential
        if !isOwn || !call.caller.has(.publish) && !call.caller.has(.broadcast) {
            try call.caller.require(.admin)
        }
        try await cancellation.cancel(task)
        return try await cancelled(known, call: call)
    }

    /// Only callers with the scope `read` get the number of devices.
    private func cancelled(_ task: KnownTask, call: AuthorizedRequest) async throws -> HTTPResponse {
        let status = try await book.status(of: task)
        return .json(call.caller.has(.read) ? status.text : status.outline, status: .accepted)
    }

    private func task(_ call: AuthorizedRequest) async throws -> KnownTask {
        guard let id = TaskID(call.request.parameter("id")) else { throw TaskError.unknownTask }
        return try await book.task(id, of: call.app)
    }

    private func draft(_ call: AuthorizedRequest) async throws -> TaskDraft {
        try await reading.readJSON(call.request, account: call.caller.account) { fields in
            try NativeTaskForm(fields).draft(defaults: call.caller.app.defaults, authorize: call.caller.require)
        }
    }

    private func expand(_ draft: TaskDraft, call: AuthorizedRequest) async throws -> TaskDraft {
        try await audiences.expand(draft, of: call.caller)
    }

    private func count(_ draft: TaskDraft, call: AuthorizedRequest) async throws -> HTTPResponse {
        try await submission.check([draft], in: call.request, of: call.caller)
        guard draft.entries.count <= TaskLimits.countedEntriesMaximum else {
            throw TaskError.invalidField(
                "users",
                message: "too long: at most \(TaskLimits.countedEntriesMaximum) entries with devices in a dry run")
        }
        let count = try await counting.count(draft, in: call.app)
        return .json(JSONText.object { $0.member("devices", count) })
    }
}
