import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// Starts, updates and ends Live Activities for every dialect: stored as server state first, then sent as tasks.
struct ActivityPublishing: Sendable {
    /// What became of an update or an end.
    struct Update: Sendable {
        let activity: ActivityID
        /// The task that sends the state, or a newer one.
        let task: TaskID
        /// When it is sent, if it waits for the end of the second; nil for one that is being sent.
        let due: Timestamp?
    }

    let book: ActivityBook
    let submission: TaskSubmission
    let time: any TimeSource

    /// The activity is stored before its task is accepted: the first token may come before the answer.
    func start(
        _ draft: ActivityDraft, in request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        answer: (PushTask) -> HTTPResponse
    ) async throws -> HTTPResponse {
        let space = caller.app.id.activities
        return try await submission.submit(
            request, of: caller, key: key,
            drafts: { seed in
                if let known = try await book.activity(draft.id, in: space), known.isRunning(besides: seed.id) {
                    throw TaskError.activityExists(draft.id)
                }
                let last = try await book.clock(of: draft.id, in: space).timestamp
                return [draft.task(timestamp: max(seed.created.milliseconds / 1_000, last + 1))]
            },
            storing: { tasks in
                for task in tasks {
                    try await book.begin(
                        draft.id, base: draft.base(), state: draft.state(stamp: task.id),
                        timestamp: task.content.activity?.timestamp ?? 0, in: space)
                }
            },
            answer: { answer($0[0]) })
    }

    /// `state` gets the activity as it is, and the stamp of the new state.
    func put(
        _ id: ActivityID, isEnd: Bool, in request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        state: (KnownActivity, TaskID) throws -> ActivityState, answer: (Update) -> HTTPResponse
    ) async throws -> HTTPResponse {
        let space = caller.app.id.activities
        return try await submission.once(key, of: caller) { seed in
            guard let known = try await book.activity(id, in: space) else { throw TaskError.unknownActivity(id) }
            if let end = known.end, end.stamp != seed.id { throw TaskError.activityEnded(id) }
            let state = try state(known, seed.id)
            try check(state, isEnd: isEnd, of: id, caller: caller)
            return (state, seed.id)
        } carryOut: { state, task in
            answer(try await put(state, isEnd: isEnd, task: task, of: id, in: space, trace: request.traceContext))
        }
    }

    /// Stores the state and makes sure that a task sends it.
    func put(
        _ state: ActivityState, isEnd: Bool, task: TaskID, of id: ActivityID, in space: AppID, trace: TraceContext?
    ) async throws -> Update {
        let (task, pending) = try await book.put(state, isEnd: isEnd, task: task, of: id, in: space)
        guard let pending else { return Update(activity: id, task: task, due: nil) }
        if !pending.isSent {
            try await submission.accept(
                [.publication(task, of: id, in: space, due: pending.due, created: time.now)], trace: trace)
            try await book.noteSent(task, of: id, in: space)
        }
        return Update(activity: id, task: task, due: pending.due)
    }

    private func check(
        _ state: ActivityState, isEnd: Bool, of id: ActivityID, caller: AuthorizedCaller
    ) throws(TaskError) {
        let now = time.now
        let task = PushTask.publication(
            state.stamp, of: id, in: caller.app.id.activities, due: now, created: now)
        let publication = ActivityClock.Publication(
            task: state.stamp, timestamp: now.milliseconds / 1_000, stamp: state.stamp, isUrgent: state.isUrgent)
        try submission.check(task.publishing(state, isEnd: isEnd, as: publication), of: caller)
    }
}

extension KnownActivity {
    /// False also for the activity that the request itself has stored before it was interrupted.
    fileprivate func isRunning(besides stamp: TaskID) -> Bool {
        base.isStarted && !hasEnded && state?.stamp != stamp
    }
}
