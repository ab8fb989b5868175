package import PushModel
package import ServiceKit

/// Traces of closed tasks for few devices; a thousand of them take less space than a hundred ledgers.
package protocol TaskTraces: Sendable {
    /// Stores a trace for this time after the task was closed, and up to a day longer. A repeated call replaces it.
    /// Throws `full` if the store is; callers then continue without a trace.
    func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) async throws(StoreError)
    /// `created`, if known, limits the days to search.
    func trace(of task: TaskID, created: Timestamp?) async throws(StoreError) -> TaskTrace?
}

package enum TaskTraceBounds {
    package static let retention = Duration.seconds(7 * 86_400)
    /// Each further day of retention is one more place to search for a trace.
    package static let retentionMaximum = Duration.seconds(14 * 86_400)
}
