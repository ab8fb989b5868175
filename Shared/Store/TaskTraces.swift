package import PushModel
package import ServiceKit

/// Traces of closed tasks for few devices, in a form that a thousand of them take less room than a hundred ledgers.
package protocol TaskTraces: Sendable {
    /// For so long after the task was closed, and up to a day longer. One that is kept again replaces itself. `full` where
    /// the store is: whoever keeps traces goes on without.
    func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) async throws(StoreError)
    /// `created` tells which days need not be looked at, where it is known.
    func trace(of task: TaskID, created: Timestamp?) async throws(StoreError) -> TaskTrace?
}

package enum TaskTraceBounds {
    package static let retention = Duration.seconds(7 * 86_400)
    /// Each day that a trace may be old is one more place to look for it.
    package static let retentionMaximum = Duration.seconds(14 * 86_400)
}
