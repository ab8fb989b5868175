import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// A task in the form in which the store still has it.
enum KnownTask: Sendable {
    /// The whole task as accepted.
    case kept(PushTask)
    /// A closed task for few devices.
    case traced(TaskID, TaskTrace)
    /// A task of which only the report remains, as after a rebuild.
    case reported(TaskReport)

    var id: TaskID {
        switch self {
        case .kept(let task): task.id
        case .traced(let id, _): id
        case .reported(let report): report.task
        }
    }

    /// When it was to be sent, as far as that is known.
    var begins: Timestamp {
        switch self {
        case .kept(let task): task.begins
        case .traced(_, let trace):
            ReportDetails(packed: trace.report, created: trace.created)?.begins ?? trace.created
        case .reported(let report): report.details.begins ?? report.created ?? report.closed
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

extension KnownTask {
    /// Those on which the life of the task may have begun, as far as its receipts are still kept.
    func days(at now: Timestamp) -> ClosedRange<UInt16> {
        switch self {
        case .kept(let task): ReceiptProof.day(of: task.begins)...ReceiptProof.day(of: task.begins)
        case .traced(_, let trace): KnownTask.days(from: trace.created, to: trace.closed, now: now)
        case .reported(let report): KnownTask.days(from: report.created, to: report.closed, now: now)
        }
    }

    private static func days(from created: Timestamp?, to closed: Timestamp, now: Timestamp) -> ClosedRange<UInt16> {
        let latest = ReceiptProof.day(of: closed)
        let first = max(created.map { ReceiptProof.day(of: $0) } ?? 0, TaskReceiptBounds.firstDayKept(at: now))
        return min(first, latest)...latest
    }
}

extension TaskReport {
    /// The report stored when the task was closed.
    init(_ task: TaskID, trace: TaskTrace) {
        let counts = trace.progress.counts
        self.init(
            task: task, app: trace.plan.app, dialect: TaskDialect(rawValue: trace.dialect) ?? .native,
            created: trace.created, closed: trace.closed, isCancelled: trace.isCancelled,
            lane: trace.plan.isFast ? .fast : .bulk,
            details: ReportDetails(packed: trace.report, created: trace.created) ?? ReportDetails(),
            reasons: trace.outcomes.reasons, unmatched: trace.unmatched, count: { counts[$0] })
    }
}
