package import PushModel
package import ServiceKit

/// Tasks that are not closed and reported yet, by the time of their next check. Many reporters share it: a leased task
/// is due again when its lease expires.
package protocol TaskAgenda: Sendable {
    /// An existing task stays unchanged.
    func enter(_ task: TaskID, due: Timestamp) async throws(StoreError)
    /// Leases the tasks that are due, the earliest first.
    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID]
    /// No effect if the task no longer exists.
    func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError)
    /// Removes a completed task.
    func finish(_ task: TaskID) async throws(StoreError)
    func count() async throws(StoreError) -> Int
}
