import Apps
import Bus
import HTTPServer
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Accepts the tasks of a request with many: each as if it were posted alone, and all with one write to the archive and
/// one to the bus.
struct BatchSubmission: Sendable {
    /// A task as it was posted.
    struct Item: Sendable {
        let draft: TaskDraft
        let key: SubmissionKey?
    }

    typealias Answer = Result<HTTPResponse, TaskError>

    /// How far an item is.
    fileprivate enum Stage: Sendable {
        /// Its key is to be claimed, or its saved audiences to be read.
        case new(Item)
        case begun(TaskDraft, TaskSeed, IdempotentRequest?)
        case prepared([TaskAcceptance.PreparedTask], IdempotentRequest?)
        /// Without effect; its claim is to be given up.
        case refused(TaskError, IdempotentRequest)
        /// It may have had an effect; its claim is to be released.
        case failed(TaskError, IdempotentRequest)
        /// Durable; its answer is to be stored under its key.
        case accepted(IdempotentAnswers.Answer, IdempotentRequest)
        case answered(Answer)
    }

    /// Calls for single items in flight; the client of the store sends them together.
    private static let callsAtOnce = 128

    private let audiences: AudienceBook
    private let acceptance: TaskAcceptance
    private let answers: IdempotentAnswers
    private let payloads: PayloadCheck
    private let reading: BodyReading
    private let room: StoreRoom
    private let log: RefusalLog

    init(
        _ access: TaskAccess, audiences: AudienceBook, cancellation: TaskCancellation, reading: BodyReading,
        idempotencyLease: Duration, log: RefusalLog, environment: WorkerEnvironment
    ) {
        self.audiences = audiences
        acceptance = TaskAcceptance(access, cancellation: cancellation, environment: environment)
        answers = IdempotentAnswers(access.keys, lease: idempotencyLease, environment: environment)
        payloads = PayloadCheck(time: environment.time)
        self.reading = reading
        room = access.room
        self.log = log
    }

    /// The answers in the order of the items. Throws if the store or the bus refused all of them, so that the whole
    /// request can be repeated.
    func submit(
        _ items: [Result<Item, TaskError>], in request: HTTPRequest, of caller: AuthorizedCaller,
        answer: ([PushTask]) -> HTTPResponse
    ) async throws -> [Answer] {
        let begun = try await eachCall(items.map(start)) { await begin($0, of: caller) }
        let prepared = try await reading.read(request, account: caller.account) { prepare(begun, of: caller) }
        let accepted = try await accept(prepared, trace: request.traceContext, answer: answer)
        return try await eachCall(accepted, step: endClaim).map { stage in
            guard case .answered(let answer) = stage else { preconditionFailure("an item without an answer") }
            return answer
        }
    }

    private func start(_ item: Result<Item, TaskError>) -> Stage {
        switch item {
        case .failure(let error): .answered(.failure(error))
        case .success(let item):
            item.key == nil && !item.draft.hasSavedAudience
                ? .begun(item.draft, answers.freshSeed(), nil) : .new(item)
        }
    }

    /// Carries out the items that need a call of their own. Most tasks need none.
    private func eachCall(
        _ items: [Stage], step: @escaping @Sendable (Stage) async -> Stage
    ) async throws -> [Stage] {
        let places = items.indices.filter { items[$0].needsCall }
        let ended = try await places.concurrentMap(atOnce: BatchSubmission.callsAtOnce) { await step(items[$0]) }
        var all = items
        for (place, stage) in zip(places, ended) { all[place] = stage }
        return all
    }

    private func begin(_ stage: Stage, of caller: AuthorizedCaller) async -> Stage {
        guard case .new(let item) = stage else { return stage }
        do {
            switch try await answers.begin(item.key, of: caller) {
            case .answered(let response): return .answered(.success(response))
            case .begun(let seed, let claim): return await expand(item.draft, seed: seed, claim: claim, of: caller)
            }
        } catch {
            return .answered(.failure(TaskError(error, log: log)))
        }
    }

    private func expand(
        _ draft: TaskDraft, seed: TaskSeed, claim: IdempotentRequest?, of caller: AuthorizedCaller
    ) async -> Stage {
        do {
            return .begun(try await audiences.expand(draft, of: caller), seed, claim)
        } catch {
            return refused(error, claim: claim)
        }
    }

    private func refused(_ error: any Error, claim: IdempotentRequest?) -> Stage {
        let error = TaskError(error, log: log)
        return claim.map { .refused(error, $0) } ?? .answered(.failure(error))
    }

    /// Refuses payloads that providers would reject. Neighbours mostly have the same, which is then rendered once.
    private func prepare(_ items: [Stage], of caller: AuthorizedCaller) -> [Stage] {
        var checked: TaskDraft?
        return items.map { stage in
            guard case .begun(let draft, let seed, let claim) = stage else { return stage }
            do {
                if checked.map(draft.isRendered) != true { try payloads.check(draft, of: caller) }
                checked = draft
                let tasks = try draft.forEachUser.enumerated().map { place, draft in
                    try acceptance.prepare(draft, id: seed.id(at: place), created: seed.created, of: caller)
                }
                // Tasks that wait take memory for days, as devices do.
                if tasks.contains(where: { $0.task.sendAt != nil }) { try room.check(.registering) }
                return .prepared(tasks, claim)
            } catch {
                return refused(error, claim: claim)
            }
        }
    }

    private func accept(
        _ items: [Stage], trace: TraceContext?, answer: ([PushTask]) -> HTTPResponse
    ) async throws -> [Stage] {
        let places = items.indices.filter { items[$0].tasks != nil }
        let results = try await acceptOrRelease(items, at: places, trace: trace)
        var all = items
        for (place, result) in zip(places, results) {
            guard case .prepared(let prepared, let claim) = items[place] else { continue }
            let tasks = prepared.map(\.task)
            switch result {
            case .success:
                let given = IdempotentAnswers.Answer(answer(tasks), begins: tasks.compactMap(\.sendAt).max())
                all[place] = claim.map { .accepted(given, $0) } ?? .answered(.success(given.response))
            case .failure(let error):
                let error = TaskError(error, log: log)
                all[place] = claim.map { .failed(error, $0) } ?? .answered(.failure(error))
            }
        }
        return all
    }

    /// With its claims, the whole request can be repeated at once.
    private func acceptOrRelease(
        _ items: [Stage], at places: [Int], trace: TraceContext?
    ) async throws -> [Result<Void, any Error>] {
        do {
            if !places.isEmpty { try room.check(.accepting) }
            return try await acceptance.acceptEach(places.compactMap { items[$0].tasks }, trace: trace)
        } catch {
            let unknown = items.map { stage in
                guard case .prepared(_, let claim?) = stage else { return stage }
                return .failed(.unexpected, claim)
            }
            _ = try await eachCall(unknown, step: endClaim)
            throw error
        }
    }

    private func endClaim(_ stage: Stage) async -> Stage {
        switch stage {
        case .refused(let error, let claim):
            await answers.forget(claim)
            return .answered(.failure(error))
        case .failed(let error, let claim):
            await answers.release(claim)
            return .answered(.failure(error))
        case .accepted(let answer, let claim):
            await answers.finish(claim, answer: answer)
            return .answered(.success(answer.response))
        case .new, .begun, .prepared, .answered: return stage
        }
    }
}

extension BatchSubmission.Stage {
    fileprivate var needsCall: Bool {
        switch self {
        case .new, .refused, .failed, .accepted: true
        case .begun, .prepared, .answered: false
        }
    }

    fileprivate var tasks: [TaskAcceptance.PreparedTask]? {
        guard case .prepared(let tasks, _) = self else { return nil }
        return tasks
    }
}
