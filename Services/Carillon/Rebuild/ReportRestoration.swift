import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Restores a task that was closed and reported before the store was lost.
struct ReportRestoration: Sendable {
    let stores: RecoveryStores
    let now: Timestamp

    /// False if the store still has the report: it also knows how far the report was delivered.
    ///
    /// The settled mark precedes the report: by the report an interrupted recovery sees that nothing is left to do.
    func restore(_ report: TaskReport) async throws(StoreError) -> Bool {
        let task = report.task
        guard try await stores.archive.report(of: task) == nil else { return false }
        try await stores.archive.advance(reportOf: task, to: .settled)
        _ = try await stores.archive.fix(report: report.encoded(), of: task)
        try await stores.archive.forget(
            task, after: max(report.closed + TaskTraceBounds.retention - now, .milliseconds(1)))
        return true
    }

    /// A task id derived from a request may be requested again for a day; the task must then be found settled. Counted
    /// from the task's end, as its key is kept for a day from the time for which it was scheduled.
    func isRepeatable(_ report: TaskReport) -> Bool {
        report.task.isDerived && now < report.closed + IdempotencyBounds.retention
    }
}
