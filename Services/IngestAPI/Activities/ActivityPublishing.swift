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

    /// A state that a request has for a running activity, or its end.
    struct Change: Sendable {
        let activity: ActivityID
        let isEnd: Bool
        /// Gets the activity as it is, and the stamp of the new state.
        let state: @Sendable (KnownActivity, TaskID) throws -> ActivityState
    }

    private struct CheckedChange: Sendable {
        let activity: ActivityID
        let isEnd: Bool
        let state: ActivityState
    }

    /// Activities of one request that are read at once.
    private static let atOnceMaximum = 16

    let book: ActivityBook
    let submission: TaskSubmission
    let time: any TimeSource

    func start(
        _ draft: ActivityDraft, in request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        answer: (PushTask) -> HTTPResponse
    ) async throws -> HTTPResponse {
        try await start([draft], in: request, of: caller, key: key, answer: { answer($0[0]) })
    }

    /// Starts all, or none if one is refused; each has another id. An activity is stored before its task is accepted:
    /// the first token may come before the answer.
    func start(
        _ starts: [ActivityDraft], in request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        answer: ([PushTask]) -> HTTPResponse
    ) async throws -> HTTPResponse {
        let space = caller.app.id.activities
        return try await submission.submit(
            request, of: caller, key: key,
            drafts: { seed in
                try await starts.enumerated().map { (place: $0, draft: $1) }
                    .concurrentMap(atOnce: ActivityPublishing.atOnceMaximum) { place, draft in
                        try await task(draft, stamp: seed.id(at: place), created: seed.created, in: space)
                    }
            },
            storing: { tasks in
                for (draft, task) in zip(starts, tasks) {
                    let timestamp = task.content.activity?.timestamp ?? 0
                    try await book.begin(
                        draft.id, base: draft.base(stamp: task.id, timestamp: timestamp),
                        state: draft.state(stamp: task.id), timestamp: timestamp, in: space)
                }
            },
            answer: answer)
    }

    private func task(
        _ draft: ActivityDraft, stamp: TaskID, created: Timestamp, in space: AppID
    ) async throws -> TaskDraft {
        let known = try await book.activity(draft.id, in: space)
        // The request itself, which was interrupted after it had stored the activity: it may be updated since, or ended.
        if let start = known?.base.start, start.stamp == stamp { return draft.task(timestamp: start.timestamp) }
        if let known, known.isRunning { throw TaskError.activityExists(draft.id) }
        let last = try await book.clock(of: draft.id, in: space).timestamp
        return draft.task(timestamp: max(created.milliseconds / 1_000, last + 1))
    }

    /// `state` gets the activity as it is, and the stamp of the new state.
    func put(
        _ id: ActivityID, isEnd: Bool, in request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        state: @escaping @Sendable (KnownActivity, TaskID) throws -> ActivityState, answer: (Update) -> HTTPResponse
    ) async throws -> HTTPResponse {
        try await put(
            [Change(activity: id, isEnd: isEnd, state: state)], in: request, of: caller, key: key,
            answer: { answer($0[0]) })
    }

    /// Carries out all changes, or none if one is refused; each is of another activity.
    func put(
        _ changes: [Change], in request: HTTPRequest, of caller: AuthorizedCaller, key: SubmissionKey?,
        answer: ([Update]) -> HTTPResponse
    ) async throws -> HTTPResponse {
        let space = caller.app.id.activities
        return try await submission.once(key, of: caller) { seed in
            try await changes.enumerated().map { (place: $0, change: $1) }
                .concurrentMap(atOnce: ActivityPublishing.atOnceMaximum) { place, change in
                    try await check(change, stamp: seed.id(at: place), of: caller)
                }
        } carryOut: { checked in
            var updates: [Update] = []
            for change in checked {
                updates.append(
                    try await put(
                        change.state, isEnd: change.isEnd, task: change.state.stamp, of: change.activity, in: space,
                        trace: request.traceContext))
            }
            return answer(updates)
        }
    }

    private func check(
        _ change: Change, stamp: TaskID, of caller: AuthorizedCaller
    ) async throws -> CheckedChange {
        let known = try await book.activity(change.activity, in: caller.app.id.activities)
        guard let known, known.base.isBegun else { throw TaskError.unknownActivity(change.activity) }
        if let end = known.end, end.stamp != stamp { throw TaskError.activityEnded(change.activity) }
        let state = try change.state(known, stamp)
        try check(state, isEnd: change.isEnd, of: change.activity, caller: caller)
        let whole = try await state.withAlert(ofUnsent: known, in: caller.app.id.activities, of: book)
        // Together they may be too long for Apple.
        let fits =
            whole != state && (try? check(whole, isEnd: change.isEnd, of: change.activity, caller: caller)) != nil
        return CheckedChange(activity: change.activity, isEnd: change.isEnd, state: fits ? whole : state)
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

extension ActivityState {
    /// A state that is not sent yet is never sent once this one is stored. Its alert, and its haste, are this one's then.
    fileprivate func withAlert(
        ofUnsent known: KnownActivity, in space: AppID, of book: ActivityBook
    ) async throws(StoreError) -> ActivityState {
        guard let before = known.newest, before.isUrgent || before.alert != nil else { return self }
        let unsent = try await book.clock(of: known.id, in: space).pending?.stamp
        guard before.stamp == unsent else { return self }
        var whole = self
        whole.alert = alert ?? before.alert
        whole.isUrgent = isUrgent || before.isUrgent
        return whole
    }
}

extension KnownActivity {
    fileprivate var isRunning: Bool { base.isStarted && base.isBegun && !hasEnded }
}
