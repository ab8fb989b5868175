package import PushModel

/// The state of each device of a task. Every step is a compare-and-set within one segment: it is atomic, a terminal
/// state is never overwritten, and the counts change together with the states.
package protocol Ledger: Sendable {
    /// Writes the plan unless one exists; returns the stored plan.
    func plan(_ task: TaskID, as plan: TaskPlan) async throws(StoreError) -> TaskPlan
    /// Plans a task for few, whose only job is done immediately. In one step it stores the devices with the plan and
    /// enters their segments, since each step adds latency to a single push. A task with a plan stays unchanged.
    /// `unmatched` entries of its list name no device.
    func begin(
        _ task: TaskID, plan: TaskPlan, devices: [UInt8], unmatched: Int, in segments: [SegmentNumber]
    ) async throws(StoreError) -> TaskBeginning
    /// The devices of a task that was begun; nil once its job is resolved.
    func decidedDevices(of task: TaskID) async throws(StoreError) -> [UInt8]?
    func progress(of task: TaskID) async throws(StoreError) -> TaskProgress?
    /// Also for a task without a plan.
    func isCancelled(_ task: TaskID) async throws(StoreError) -> Bool

    /// The first mark, merged per device. A segment is entered in the task before its first device is marked, so that
    /// no crash can hide one. Once all jobs are resolved, no segment is entered any more.
    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> MarkVerdict
    /// The same for a task just begun, in a segment entered by that step.
    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID, enteredIn entered: EnteredTask
    ) async throws(StoreError) -> MarkVerdict
    /// Defers devices that are targeted, or deferred already, and returns them; others keep their state. A device in
    /// several groups is deferred with the first. The order of its release must be durable before.
    func `defer`(
        _ groups: [Deferral], of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SegmentSet
    /// The deferred devices of these segments by cause, without reading which devices they are.
    func deferrals(of task: TaskID, in segments: [SegmentID]) async throws(StoreError) -> DeferralSummary
    /// The job is done: all its devices are marked and sent to the bus. The entries of its part of a list that name no
    /// device are added to the task's, unless the job was resolved before.
    func resolve(job: Int, unmatched: Int, of task: TaskID) async throws(StoreError)
    /// True if the job is resolved; nil for a task without a plan.
    func isResolved(job: Int, of task: TaskID) async throws(StoreError) -> Bool?

    /// Claims devices that a sender is about to submit. A device's badge is counted with its first claim.
    /// So is its push, if the claim has a cap: exactly once, and never more than the cap allows in any period.
    func claim(
        _ request: ClaimRequest, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> ClaimVerdict
    /// Extends the lease of a claim, even an expired one whose devices were not claimed since; false if the claim holds
    /// none any more.
    func renew(
        _ claim: ClaimID, for duration: Duration, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> Bool
    /// Ends the claim for these devices. Refused for devices it no longer holds. Those that it ended are counted under
    /// their provider in the same step, so that a repeat counts none twice.
    func settle(
        _ settlement: Settlement, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SettleVerdict

    /// The results of these devices, which have ended, are durable on `results`. Without this note a redelivered
    /// message publishes them again, so that a failure here loses nothing.
    func noteReported(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError)
    /// Ended devices without such a note, in ascending order; their results may or may not have been published.
    func unreported(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> [TaskOutcomes.Device]

    /// The states of the segment's devices.
    func states(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> LedgerSnapshot?
    /// The last detail a sender recorded for a device: why it was not delivered, or when it was. For a deferred device
    /// the reason is the cause, and the due time that of its release. Nil without details:
    /// delivered at the first attempt in a big task, or ended untried by a cancel, the deadline or an expired lease.
    func detail(
        of offset: UInt16, task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> OutcomeDetail?

    /// Cancels the task, so that devices marked later in any segment end immediately, and ends every device of this
    /// segment that no sender holds; returns those ended now. May be repeated for devices released by senders since. A
    /// task without a plan is cancelled too.
    func cancel(_ task: TaskID, in segment: SegmentID) async throws(StoreError) -> SegmentSet
    /// At the deadline: ends every device that no sender holds under a live lease; returns those ended now, by state.
    /// `untried` is the state for devices never claimed: `expired`, or `unknown` if the ledger may have lost claims.
    func expire(
        _ task: TaskID, in segment: SegmentID, untried: DeliveryState
    ) async throws(StoreError) -> [DeliveryState: SegmentSet]
    /// Segments of the task that may still have open devices.
    func openSegments(of task: TaskID) async throws(StoreError) -> [SegmentID]
    /// Writes the counts of segments without open devices into the task, once all jobs are resolved, and closes the
    /// task when none is left; the ledgers expire after their retention. Nil for a task without a plan.
    func close(_ segments: [SegmentID], of task: TaskID) async throws(StoreError) -> TaskProgress?
    /// The same for all open segments of a task whose progress the caller has just read.
    func close(_ task: TaskID, after progress: TaskProgress) async throws(StoreError) -> TaskProgress?
    /// The same; with the outcomes, if closing them has read them.
    func closeWithOutcomes(_ task: TaskID, after progress: TaskProgress) async throws(StoreError) -> ClosedTask?
    /// The final states of the devices of a closed task for few. Nil for a task that is open or for many, and once its
    /// ledgers have expired.
    func outcomes(of task: TaskID) async throws(StoreError) -> TaskOutcomes?
    /// A closed task for few is reported: its ledgers are needed for one more hour. May be repeated, and has no effect
    /// on a task for many, whose ledgers keep their retention.
    func release(_ task: TaskID) async throws(StoreError)
    /// The same for a task whose outcomes the caller got when it was closed.
    func release(_ task: TaskID, closedWith outcomes: TaskOutcomes) async throws(StoreError)
}

extension Ledger {
    package func close(_ task: TaskID, after progress: TaskProgress) async throws(StoreError) -> TaskProgress? {
        try await close(progress.openSegments, of: task)
    }

    package func closeWithOutcomes(
        _ task: TaskID, after progress: TaskProgress
    ) async throws(StoreError) -> ClosedTask? {
        try await close(task, after: progress).map { ClosedTask($0) }
    }

    package func release(_ task: TaskID, closedWith outcomes: TaskOutcomes) async throws(StoreError) {
        try await release(task)
    }
}
