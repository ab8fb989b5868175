import PushModel
import Store
import TaskModel
import Topics

/// A task as far as it is known.
enum KnownTask: Sendable {
    /// With everything that was accepted.
    case kept(PushTask)
    /// One for few devices that is closed.
    case traced(TaskID, TaskTrace)
    /// One of which only the report is left: that is what a rebuild brings back.
    case reported(TaskReport)

    var id: TaskID {
        switch self {
        case .kept(let task): task.id
        case .traced(let id, _): id
        case .reported(let report): report.task
        }
    }

    var app: AppID {
        switch self {
        case .kept(let task): task.app
        case .traced(_, let trace): trace.plan.app
        case .reported(let report): report.app
        }
    }
}

extension TaskReport {
    /// The one that was fixed when the task was closed.
    init(_ task: TaskID, trace: TaskTrace) {
        let counts = trace.progress.counts
        self.init(
            task: task, app: trace.plan.app, dialect: TaskDialect(rawValue: trace.dialect) ?? .native,
            created: trace.created, closed: trace.closed, isCancelled: trace.isCancelled,
            lane: trace.plan.isFast ? .fast : .bulk, count: { counts[$0] })
    }
}
