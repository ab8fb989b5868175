package import PushModel
package import ServiceKit

/// Which task of each key counts, and the swaps that are under way. The parts of a swap lie on different servers, so
/// that it has steps: the pointer decides, and what follows from it may be repeated by anyone.
package protocol TaskReplacements: Sendable {
    /// Nil for a key that no task has.
    func pointer(of key: ReplacementKey) async throws(StoreError) -> ReplacementPointer?
    /// Sets the pointer unless it was changed since it was read; false if it was.
    func set(_ pointer: ReplacementPointer, of key: ReplacementKey) async throws(StoreError) -> Bool

    /// Keeps the content of a task that does not count yet, apart from the archive: it is neither listed nor readable.
    func stage(_ content: [UInt8], of task: TaskID, for life: Duration) async throws(StoreError)
    func staged(_ task: TaskID) async throws(StoreError) -> [UInt8]?
    /// Removes it after this time.
    func unstage(_ task: TaskID, after life: Duration) async throws(StoreError)

    /// Notes which task replaced another; the first note counts.
    func note(_ task: TaskID, replacedBy successor: TaskID) async throws(StoreError)
    func successor(of task: TaskID) async throws(StoreError) -> TaskID?

    /// Enters a swap before its first step, so that it is finished if it is cut off. One that is entered again gets the
    /// new time, even while it is leased.
    func enter(_ swap: TaskSwap, due: Timestamp) async throws(StoreError)
    /// Leases the swaps that are due, the earliest first.
    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [SwapLease]
    func remove(_ swap: TaskSwap) async throws(StoreError)
    /// Removes the swap unless it was entered or leased again since.
    func finish(_ lease: SwapLease) async throws(StoreError)
}

package enum ReplacementBounds {
    /// How long it is known which task replaced another: as long as a task's cancel.
    package static let successorRetention = TaskPlan.cancellationRetention
}
