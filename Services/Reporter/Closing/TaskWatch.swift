import ServiceKit
import Store
import Topics

/// Decides what a task needs next, from what the store holds of it. Whoever was cut off begins anew, comes to the same
/// steps and repeats the one that was not finished, under the same ids.
struct TaskWatch: Sendable {
    enum Stage: Sendable {
        /// Nobody has planned it; the deadline is that of what was accepted, nil where nothing is left of that.
        case unplanned(deadline: Timestamp?)
        case open(TaskProgress)
        case reported(TaskReport, ReportStage)
    }

    /// Why devices end without having been tried.
    enum Ending: Hashable, Sendable {
        case deadline
        case cancellation
    }

    enum Step: Hashable, Sendable {
        case end(Ending)
        case close
        /// Nobody does what is left of the task's jobs.
        case resolveJobs
        case fix(closed: Timestamp)
        case publish(TaskReport)
        /// The app's owner wants to hear of it.
        case notify(TaskReport)
        case finish(TaskReport)
        case abandon(reason: String)
        case wait
    }

    /// How long after the deadline a task may be without a plan, or with jobs that nobody has done: resolvers may be
    /// away for a while, and what they mark then ends at once.
    static let grace = Duration.seconds(3_600)

    var stage: Stage
    private let isDue: Bool
    private var done: Set<Step> = []

    /// A task that is not due is looked at for the results that came of it.
    init(_ stage: Stage, isDue: Bool) {
        self.stage = stage
        self.isDue = isDue
    }

    mutating func next(at now: Timestamp, hasEndpoint: Bool) -> Step {
        switch stage {
        case .unplanned(nil):
            return .abandon(reason: "nothing is left of it")
        case .unplanned(let deadline?):
            return now >= deadline + TaskWatch.grace ? .abandon(reason: "it was never planned") : .wait
        case .open(let progress):
            return next(progress, at: now)
        case .reported(let report, .fixed): return .publish(report)
        case .reported(let report, .published): return hasEndpoint ? .notify(report) : .finish(report)
        case .reported(let report, .settled): return .finish(report)
        }
    }

    /// Each step is taken once in a look: what a sender still holds under a lease ends in a later one. Whoever ended
    /// devices may have died before it told of them, so an ending comes before the closing, after which nobody could.
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

    /// Whether all that is missing is somebody's next step, which takes no time, and not a device.
    var isNearlyDone: Bool {
        guard case .open(let progress) = stage else { return false }
        return progress.counts.open == 0
    }

    /// From when on something else is to be done, if nothing happens before.
    func turn(after now: Timestamp) -> Timestamp? {
        guard case .open(let progress) = stage, progress.plan.deadline > now else { return nil }
        return progress.plan.deadline
    }
}
