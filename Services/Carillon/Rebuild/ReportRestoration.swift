import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Brings back what is known of a task that was closed and reported before the store was lost.
struct ReportRestoration: Sendable {
    let stores: RecoveryStores
    let now: Timestamp

    /// False where the store still has the report: how far it has been taken is known there.
    ///
    /// That the task is done comes before its report, by which a recovery that was cut off sees that nothing is left to do.
    func restore(_ report: TaskReport) async throws(StoreError) -> Bool {
        let task = report.task
        guard try await stores.archive.report(of: task) == nil else { return false }
        try await stores.archive.advance(reportOf: task, to: .settled)
        _ = try await stores.archive.fix(report: report.encoded(), of: task)
        try await stores.archive.forget(
            task, after: max(report.closed + TaskTraceBounds.retention - now, .milliseconds(1)))
        return true
    }

    /// A task whose id comes from its request may be asked for again for a day, and must then be found done.
    func isRepeatable(_ report: TaskReport) -> Bool {
        report.task.isDerived && now < keysEnd(report)
    }

    private func keysEnd(_ report: TaskReport) -> Timestamp {
        (report.created ?? report.closed) + IdempotencyBounds.retention
    }
}
