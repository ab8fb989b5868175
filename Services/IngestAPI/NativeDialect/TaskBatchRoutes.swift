import Apps
import HTTPServer
import TaskModel

/// `/v1/tasks/batch`: many tasks in one request, each with an answer of its own.
struct TaskBatchRoutes: Sendable {
    let submission: BatchSubmission
    let reading: BodyReading
    let limits: RequestLimits

    @Sendable func create(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let warnings = MissingProviders(app: call.caller.app)
        let answers = try await submission.submit(
            try await items(call), in: call.request, of: call.caller
        ) { tasks in
            CreatedTasks(tasks: tasks, warnings: warnings.warnings(of: tasks[0].content)).response(below: call.base)
        }
        return TaskBatchAnswer(answers).response
    }

    /// Each task counts as a request. The first one has been counted with the request itself.
    private func items(_ call: AuthorizedRequest) async throws -> [Result<BatchSubmission.Item, TaskError>] {
        let caller = call.caller
        return try await reading.read(call.request, account: caller.account) { [limits] in
            try TaskBatchForm.items(of: call.request) { place throws(Gatekeeper.AccessError) in
                if place > 0 { try limits.admit(caller.payer, to: caller.app, from: call.request.peer) }
            } draft: { fields throws(Gatekeeper.AccessError) in
                try NativeTaskForm(fields).draft(defaults: caller.app.defaults, authorize: caller.require)
            }
        }
    }
}
