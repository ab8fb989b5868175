import Apps
import Bus
import HTTPServer
import ServiceKit
import TaskModel
import Topics

/// Accepts the drafts of every dialect: once per idempotency key, and durable before the response.
struct TaskSubmission: Sendable {
    private let acceptance: TaskAcceptance
    private let answers: IdempotentAnswers
    private let room: StoreRoom

    init(_ access: TaskAccess, idempotencyLease: Duration, environment: WorkerEnvironment) {
        acceptance = TaskAcceptance(access, environment: environment)
        room = access.room
        answers = IdempotentAnswers(
            store: access.keys, lease: idempotencyLease, log: environment.log, time: environment.time,
            random: environment.random)
    }

    /// `draft` gets the seed because a draft may contain the task's id.
    func accept(
        _ request: HTTPRequest, of caller: AuthorizedCaller, draft: (TaskSeed) -> TaskDraft,
        answer: (PushTask) -> HTTPResponse
    ) async throws -> HTTPResponse {
        try await answers.answer(request, of: caller) { seed in
            try room.check(.accepting)
            let task = try await acceptance.accept(draft(seed), seed: seed, of: caller, trace: request.traceContext)
            return answer(task)
        }
    }
}
