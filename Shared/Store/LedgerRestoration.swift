package import PushModel

/// Writes ledgers anew that the store has lost, from what the bus still tells. Nobody can mark, claim or close anything of
/// a task while it is being restored, and no device of it is ever open: what is not known to have ended, ends here.
///
/// Every step may be repeated, also from the beginning.
package protocol LedgerRestoration: Sendable {
    /// False for a task whose ledger is there, and must be left as it is. The plan holds until the restoration ends.
    func beginRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError) -> Bool
    /// Ends those of the devices that have not ended; those that stand at this state now. Nil for a task that is not being
    /// restored any more: another has done it.
    func restore(
        _ devices: SegmentSet, as state: DeliveryState, of task: TaskID, in segment: SegmentID, plan: TaskPlan
    ) async throws(StoreError) -> SegmentSet?
    /// Everything is there: from now on the task has this plan with all its jobs done, and can be closed.
    func endRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError)
}
