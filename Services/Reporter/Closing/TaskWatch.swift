import ServiceKit
import Store
import Topics

/// Decides the next step of a task from its state in the store. After an interruption the next check reaches the same
/// steps and repeats the unfinished one, under the same ids.
struct TaskWatch: Sendable {
    enum Stage: Sendable {
        /// The task was not planned; the deadline is that of the accepted task, nil if its content is lost.
        case unplanned(deadline: Timestamp?)
        case open(TaskProgress)
        case reported(TaskReport, ReportStage)
    }

    /// Why devices end without an attempt.
    enum Ending: Hashable, Sendable {
        case deadline
        case cancellation
    }

    enum Step: Hashable, Sendable {
        case end(Ending)
        case close
        /// Resolves jobs that no resolver has done.
        case resolveJobs
        case fix(closed: Timestamp)
        case publish(TaskReport)
        /// The app has an endpoint for reports.
        case notify(TaskReport)
        case finish(TaskReport)
        case abandon(reason: String)
        case wait
    }

    /// How long after the deadline a task may lack a plan, or have unresolved jobs: resolvers may be down for a while,
    /// and devices that they mark then end immediately.
    static let grace = Duration.seconds(3_600)

    var stage: Stage
    private let isDue: Bool
    private var done: Set<Step> = []

    /// A task that is not due is checked because results of it came.
    init(_ stage: Stage, isDue: Bool) {
        self.stage = stage
        self.isDue = isDue
    }

    mutating func next(at now: Timestamp, hasEndpoint: Bool) -> Step {
        switch stage {
        case .unplanned(nil):
            return .abandon(reason: "its content is lost")
        case .unplanned(let deadline?):
            return now >= deadline + TaskWatch.grace ? .abandon(reason: "it was never planned") : .wait
        case .open(let progress):
            return next(progress, at: now)
        case .reported(let report, .fixed): return .publish(report)
        case .reported(let report, .published): return hasEndpoint ? .notify(report) : .finish(report)
        case .reported(let report, .settled): return .finish(report)
        }
    }

    /// Each step is taken once in a check: devices under a sender's lease end in a later one. A process that ended
    /// devices may have crashed before reporting them, so ending comes before closing, after which it is impossible.
    private mutating func next(_ progress: TaskProgress, at now: Timestamp) -> Step {
        if let closed = progress.closed { return .fix(closed: closed) }
        var steps: [Step] = []
        if now >= progress.plan.deadline { steps.append(.end(.deadline)) }
        if progress.isCancelled { steps.append(.end(.cancellation)) }
        if progress.jobsResolved < progress.plan.jobs {
            if now >= progress.plan.deadline + TaskWatch.grace { steps.append(.resolveJobs) }
        } else if isDue || progress.counts.open == 0 {
            // Results of a broadcast come by the thousand: only the last of them can close it.
            steps.append(.close)
        }
        guard let step = steps.first(where: { !done.contains($0) }) else { return .wait }
        done.insert(step)
        return step
    }

    /// True if no device is open, and only a quick step of another process is missing.
    var isNearlyDone: Bool {
        guard case .open(let progress) = stage else { return false }
        return progress.counts.open == 0
    }

    /// When the next different step is due, if nothing happens before.
    func turn(after now: Timestamp) -> Timestamp? {
        guard case .open(let progress) = stage, progress.plan.deadline > now else { return nil }
        return progress.plan.deadline
    }
}
