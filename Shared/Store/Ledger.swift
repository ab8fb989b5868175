package import PushModel

/// What became of each device of a task. Every step is a compare-and-set within one segment: it happens whole or not at
/// all, a terminal state is never overwritten, and the counts change with the states.
package protocol Ledger: Sendable {
    /// Writes the plan unless there is one; the plan that holds.
    func plan(_ task: TaskID, plan: TaskPlan) async throws(StoreError) -> TaskPlan
    /// Plans a task for few, whose only job is done at once. Whom it means is kept with the plan, and the segments they are
    /// in are entered, all in one step: a single push waits for each step anew. A task that has a plan stays as it is.
    func begin(
        _ task: TaskID, plan: TaskPlan, meaning devices: [UInt8], in segments: [SegmentNumber]
    ) async throws(StoreError) -> TaskBeginning
    /// Whom a task means that was begun; nil once its job is resolved.
    func meaning(of task: TaskID) async throws(StoreError) -> [UInt8]?
    func progress(of task: TaskID) async throws(StoreError) -> TaskProgress?
    /// Also of a task that has no plan yet.
    func isCancelled(_ task: TaskID) async throws(StoreError) -> Bool

    /// The first mark, merged device by device. A segment is entered in the task before its first device is marked, so
    /// that no crash can hide one. Once all jobs are resolved no segment is entered any more.
    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> MarkVerdict
    /// The same, of a task that was just begun, in a segment that was entered with that.
    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID, enteredIn entered: EnteredTask
    ) async throws(StoreError) -> MarkVerdict
    /// The job is done: everything it had to mark is marked, and on the bus.
    func resolve(job: Int, of task: TaskID) async throws(StoreError)
    /// Whether it is; nil for a task without a plan.
    func isResolved(job: Int, of task: TaskID) async throws(StoreError) -> Bool?

    /// Asks for devices a sender is about to submit. A device's badge is counted with its first claim ever.
    func claim(
        _ request: ClaimRequest, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> ClaimVerdict
    /// Keeps the lease of a claim alive, also one that ran out without anybody taking its devices; false when the claim
    /// holds none any more.
    func renew(
        _ claim: ClaimID, for duration: Duration, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> Bool
    /// Ends the claim for these devices. Refused for those it no longer holds.
    func settle(
        _ settlement: Settlement, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SettleVerdict

    /// The results of these devices, which have ended, are durable on `results`. Without this note a message that comes
    /// again has them told again, so that a failure here loses nothing.
    func noteTold(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError)
    /// The devices that have ended and that no note names, in rising order; nobody or somebody may have told of them.
    func untold(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> [TaskOutcomes.Device]

    /// What the segment's devices stand at.
    func states(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> LedgerSnapshot?
    /// What a sender last told of a device: why it was not delivered, or when it was. Nil where there was nothing to
    /// tell: delivered at once in a big task, or ended untried by a cancel, the deadline or a dead lease.
    func detail(
        of offset: UInt16, task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> OutcomeDetail?

    /// Cancels the task, so that whatever is marked later in any segment ends at once, and ends every device of this
    /// segment that no sender holds; those ended now. May be repeated for devices that senders have handed back since.
    /// A task that has no plan yet is cancelled all the same.
    func cancel(_ task: TaskID, in segment: SegmentID) async throws(StoreError) -> SegmentSet
    /// At the deadline: ends every device that no sender holds under a live lease; those ended now, by state. `untried`
    /// is how those end that nobody has claimed: `expired`, or `unknown` where the ledger may have forgotten claims.
    func expire(
        _ task: TaskID, in segment: SegmentID, untried: DeliveryState
    ) async throws(StoreError) -> [DeliveryState: SegmentSet]
    /// Segments of the task that may still have open devices.
    func openSegments(of task: TaskID) async throws(StoreError) -> [SegmentID]
    /// Writes the counts of segments without open devices into the task, once all jobs are resolved, and closes the task
    /// when none is left; the ledgers go after their time. Nil for a task without a plan.
    func close(_ segments: [SegmentID], of task: TaskID) async throws(StoreError) -> TaskProgress?
    /// How the devices of a closed task for few ended. Nil for a task that is open or for many, and once its ledgers are
    /// gone.
    func outcomes(of task: TaskID) async throws(StoreError) -> TaskOutcomes?
    /// A closed task for few is reported: its ledgers are needed for an hour more. May be repeated, and does nothing to
    /// a task for many, whose ledgers stay for their time.
    func release(_ task: TaskID) async throws(StoreError)
}
