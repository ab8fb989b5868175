package import PushModel
package import ServiceKit

/// The tasks that are not closed and reported yet, by the time at which somebody must look at them again. Many reporters
/// share it: a task that was taken is due again when the time it was taken for is over.
package protocol TaskAgenda: Sendable {
    /// One that is there already stays as it is.
    func enter(_ task: TaskID, due: Timestamp) async throws(StoreError)
    /// Those that are due, the earliest first; nobody else gets them until the lease is over.
    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID]
    /// Nothing when the task is there no more.
    func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError)
    /// Nothing more is to be done for it.
    func finish(_ task: TaskID) async throws(StoreError)
    func count() async throws(StoreError) -> Int
}
