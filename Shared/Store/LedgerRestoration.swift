package import PushModel

/// Recreates ledgers that the store has lost, from the data still on the bus. While a task is being restored, marks,
/// claims and closing are refused, and none of its devices is ever open: a device not known to have ended is ended.
///
/// Every step may be repeated, also from the beginning.
package protocol LedgerRestoration: Sendable {
    /// False if the task's ledger exists and must not be changed. The plan applies until the restoration ends.
    func beginRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError) -> Bool
    /// Ends those of the devices that have not ended; returns those now in this state. Nil if the task is no longer
    /// being restored: another process has finished.
    func restore(
        _ devices: SegmentSet, as state: DeliveryState, of task: TaskID, in segment: SegmentID, plan: TaskPlan
    ) async throws(StoreError) -> SegmentSet?
    /// Everything is restored: from now on the task has this plan with all its jobs done, and can be closed.
    func endRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError)
}
