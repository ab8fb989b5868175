import PushModel
import ServiceKit
import Synchronization
import Topics

/// Work for the sweeper: tasks to check and reports to post. Adding work wakes it.
final class ReportingQueue: Sendable {
    enum Work: Sendable {
        case check(CheckQueue.Check)
        case post(TaskReport)
    }

    /// Concurrent checks: each makes some queries to the store, which those of others join.
    static let checksMaximum = 64
    /// Concurrent posts, in all and to one app's endpoint, so that a slow one leaves room for others.
    static let postsMaximum = 64
    static let postsOfAppMaximum = 8

    private struct State {
        var book = CheckQueue()
        var checks = 0
        var posts: [TaskReport] = []
        var postsByApp: [AppID: Int] = [:]
        var call = OneTimeEvent()
        var postCount: Int { postsByApp.values.reduce(0, +) }
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    init(time: any TimeSource) {
        self.time = time
    }

    /// To be called before looking for work: work added in between then wakes the sweeper.
    func listen() -> OneTimeEvent {
        state.withLock { $0.call }
    }

    func wake() {
        change { _ in }
    }

    /// `isDue` if its time in the agenda has come; else results of it came.
    func want(_ tasks: some Sequence<TaskID>, isDue: Bool) {
        change { state in
            for task in tasks { state.book.want(task, isDue: isDue) }
        }
    }

    /// False if there is no room for it now.
    func offer(_ report: TaskReport) -> Bool {
        change { state in
            let count = state.postsByApp[report.app] ?? 0
            guard state.postCount < ReportingQueue.postsMaximum, count < ReportingQueue.postsOfAppMaximum else {
                return false
            }
            state.postsByApp[report.app] = count + 1
            state.posts.append(report)
            return true
        }
    }

    func next() -> Work? {
        let now = time.uptime
        return state.withLock { state in
            if !state.posts.isEmpty { return .post(state.posts.removeFirst()) }
            guard state.checks < ReportingQueue.checksMaximum, let check = state.book.take(at: now) else { return nil }
            state.checks += 1
            return .check(check)
        }
    }

    func finishCheck(_ task: TaskID) {
        let now = time.uptime
        change { state in
            state.checks -= 1
            state.book.finish(task, at: now)
        }
    }

    func finishPost(_ report: TaskReport) {
        state.withLock { state in
            let count = (state.postsByApp[report.app] ?? 1) - 1
            state.postsByApp[report.app] = count > 0 ? count : nil
        }
    }

    /// How many tasks may be taken from the agenda.
    var room: Int {
        state.withLock { max(0, 2 * ReportingQueue.checksMaximum - $0.book.waitingCount) }
    }

    /// When the rest of a requested task ends.
    var nextWake: Duration? { state.withLock { $0.book.nextWake } }

    @discardableResult
    private func change<Answer: Sendable>(_ body: (inout State) -> Answer) -> Answer {
        let (answer, call) = state.withLock { state in
            let answer = body(&state)
            defer { state.call = OneTimeEvent() }
            return (answer, state.call)
        }
        call.happen()
        return answer
    }
}
