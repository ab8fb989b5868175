import Apps
import Bus
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskKit
import TaskModel
import Topics

/// Accepts the drafts of every dialect: once per idempotency key, and durable before the response.
struct TaskSubmission: Sendable {
    private let acceptance: TaskAcceptance
    private let answers: IdempotentAnswers
    private let payloads: PayloadCheck
    private let reading: BodyReading
    private let room: StoreRoom

    init(
        _ access: TaskAccess, cancellation: TaskCancellation, reading: BodyReading, idempotencyLease: Duration,
        environment: WorkerEnvironment
    ) {
        acceptance = TaskAcceptance(access, cancellation: cancellation, environment: environment)
        answers = IdempotentAnswers(access.keys, lease: idempotencyLease, environment: environment)
        payloads = PayloadCheck(time: environment.time)
        self.reading = reading
        room = access.room
    }

    /// Accepts all drafts of a request, or none if one is refused. `drafts` gets the seed because a draft may contain
    /// its task's id. The repeat of an answered request gets the stored answer: its drafts are neither made nor
    /// rendered. A request with the key that `repeats` returns is such a repeat too. `storing` stores what tasks need, before
    /// they are accepted.
    func submit(
        _ request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        drafts: (TaskSeed) async throws -> [TaskDraft],
        storing: ([PushTask]) async throws -> Void = { _ in },
        answer: ([PushTask]) -> HTTPResponse, repeats: ([PushTask]) -> SubmissionKey? = { _ in nil }
    ) async throws -> HTTPResponse {
        try await answers.answer(key, of: caller) { seed in
            let all = try await drafts(seed)
            try await check(all, in: request, of: caller)
            return try all.enumerated().map { place, draft in
                try acceptance.prepare(
                    draft, id: seed.id(at: place), created: seed.created, of: caller)
            }
        } carryOut: { prepared in
            // Tasks that wait take memory for days, as devices do.
            try room.check(prepared.contains { $0.task.sendAt != nil } ? .registering : .accepting)
            let tasks = prepared.map(\.task)
            try await storing(tasks)
            try await acceptance.accept(prepared, trace: request.traceContext)
            let given = IdempotentAnswers.Answer(answer(tasks), begins: tasks.compactMap(\.sendAt).max())
            if let key = repeats(tasks) { await answers.keep(given, under: key, of: caller) }
            return given
        }
    }

    /// Makes a task with a key durable that counts already; see `TaskReplacement.complete`.
    func complete(_ task: TaskID, key: ReplacementKey) async throws {
        try await acceptance.complete(task, key: key)
    }

    /// Carries out a request that makes no task of a draft, once per idempotency key. `prepare` has no effect.
    func once<Prepared: Sendable>(
        _ key: SubmissionKey?, of caller: AuthorizedCaller, prepare: (TaskSeed) async throws -> Prepared,
        carryOut: (Prepared) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        try room.check(.accepting)
        return try await answers.answer(key, of: caller, prepare: prepare) { prepared in
            IdempotentAnswers.Answer(try await carryOut(prepared))
        }
    }

    /// Refuses payloads that a provider would reject.
    func check(_ task: PushTask, of caller: AuthorizedCaller) throws(TaskError) {
        try payloads.check(task, of: caller.app)
    }

    /// The id of a task without a request.
    func freshID() -> TaskID { answers.freshSeed().id }

    /// The task of a draft without a request, under an id of its own.
    func prepare(
        _ draft: TaskDraft, of caller: AuthorizedCaller
    ) throws(TaskError) -> TaskAcceptance.PreparedTask {
        let seed = answers.freshSeed()
        let prepared = try acceptance.prepare(draft, id: seed.id, created: seed.created, of: caller)
        try payloads.check(prepared.task, of: caller.app)
        return prepared
    }

    /// Accepts prepared tasks; see `TaskAcceptance.acceptRepeatedly`.
    func acceptRepeatedly(_ prepared: [TaskAcceptance.PreparedTask]) async throws {
        try room.check(.accepting)
        try await acceptance.acceptRepeatedly(prepared)
    }

    func withdraw(_ prepared: [TaskAcceptance.PreparedTask]) async {
        await acceptance.withdraw(prepared)
    }

    /// Sends parts of the lists of tasks that follow; see `TaskAcceptance.send`.
    func send(_ parts: [TaskPart], on topic: Topic<TaskMessage>, trace: TraceContext?) async throws {
        guard !parts.isEmpty else { return }
        try room.check(.accepting)
        try await acceptance.send(parts, on: topic, trace: trace)
    }

    /// Accepts tasks whose lists have been sent, or are short.
    func accept(_ tasks: [PushTask], trace: TraceContext?) async throws {
        try room.check(.accepting)
        let prepared = try tasks.map { task throws(TaskError) in try acceptance.prepare(task) }
        try await acceptance.accept(prepared, trace: trace)
    }

    /// The same check for one content among others; errors name its field.
    func check(_ draft: TaskDraft, of caller: AuthorizedCaller, field: String) throws(TaskError) {
        do throws(TaskError) {
            try payloads.check(draft, of: caller)
        } catch {
            guard case .invalid(let problems) = error else { throw error }
            throw .invalid(problems.map { JSONProblems.Problem(path: field, message: $0.description) })
        }
    }

    func preview(
        _ draft: TaskDraft, in request: HTTPRequest, of caller: AuthorizedCaller
    ) async throws -> TaskPreview {
        try await reading.read(request, account: caller.account) { [payloads] in payloads.preview(draft, of: caller) }
    }

    /// Refuses payloads that a provider would reject. Rendering takes time in proportion to the body, as reading does.
    func check(_ drafts: [TaskDraft], in request: HTTPRequest, of caller: AuthorizedCaller) async throws {
        try await reading.read(request, account: caller.account) { [payloads] in
            for (place, draft) in drafts.enumerated() where place == 0 || !draft.isRendered(like: drafts[place - 1]) {
                try payloads.check(draft, of: caller)
            }
        }
    }
}
