import PushModel
import ServiceKit
import Store
import TestSupport

/// A ledger whose changes may be cut off by `Scissors`.
struct CutLedger: Ledger {
    private let ledger: any Ledger
    private let scissors: Scissors

    init(_ ledger: any Ledger, scissors: Scissors) {
        self.ledger = ledger
        self.scissors = scissors
    }

    func plan(_ task: TaskID, as plan: TaskPlan) async throws(StoreError) -> TaskPlan {
        try await ledger.plan(task, as: plan)
    }

    func begin(
        _ task: TaskID, plan: TaskPlan, devices: [UInt8], unmatched: Int, in segments: [SegmentNumber]
    ) async throws(StoreError) -> TaskBeginning {
        try await ledger.begin(task, plan: plan, devices: devices, unmatched: unmatched, in: segments)
    }

    func decidedDevices(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await ledger.decidedDevices(of: task)
    }

    func progress(of task: TaskID) async throws(StoreError) -> TaskProgress? {
        try await ledger.progress(of: task)
    }

    func isCancelled(_ task: TaskID) async throws(StoreError) -> Bool {
        try await ledger.isCancelled(task)
    }

    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> MarkVerdict {
        try await ledger.mark(devices, of: task, in: segment)
    }

    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID, enteredIn entered: EnteredTask
    ) async throws(StoreError) -> MarkVerdict {
        try await ledger.mark(devices, of: task, in: segment, enteredIn: entered)
    }

    func `defer`(
        _ groups: [Deferral], of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SegmentSet {
        try await ledger.defer(groups, of: task, in: segment)
    }

    func deferrals(of task: TaskID, in segments: [SegmentID]) async throws(StoreError) -> DeferralSummary {
        try await ledger.deferrals(of: task, in: segments)
    }

    func resolve(job: Int, unmatched: Int, of task: TaskID) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await ledger.resolve(job: job, unmatched: unmatched, of: task)
        }
    }

    func isResolved(job: Int, of task: TaskID) async throws(StoreError) -> Bool? {
        try await ledger.isResolved(job: job, of: task)
    }

    func claim(
        _ request: ClaimRequest, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> ClaimVerdict {
        try await ledger.claim(request, of: task, in: segment)
    }

    func renew(
        _ claim: ClaimID, for duration: Duration, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> Bool {
        try await ledger.renew(claim, for: duration, of: task, in: segment)
    }

    func settle(
        _ settlement: Settlement, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SettleVerdict {
        try await ledger.settle(settlement, of: task, in: segment)
    }

    func states(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> LedgerSnapshot? {
        try await ledger.states(of: task, in: segment)
    }

    func detail(of offset: UInt16, task: TaskID, in segment: SegmentID) async throws(StoreError) -> OutcomeDetail? {
        try await ledger.detail(of: offset, task: task, in: segment)
    }

    func cancel(_ task: TaskID, in segment: SegmentID) async throws(StoreError) -> SegmentSet {
        try await scissors.around { () async throws(StoreError) in
            try await ledger.cancel(task, in: segment)
        }
    }

    func expire(
        _ task: TaskID, in segment: SegmentID, untried: DeliveryState
    ) async throws(StoreError) -> [DeliveryState: SegmentSet] {
        try await scissors.around { () async throws(StoreError) in
            try await ledger.expire(task, in: segment, untried: untried)
        }
    }

    func noteReported(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await ledger.noteReported(devices, of: task, in: segment)
        }
    }

    func unreported(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> [TaskOutcomes.Device] {
        try await ledger.unreported(of: task, in: segment)
    }

    func openSegments(of task: TaskID) async throws(StoreError) -> [SegmentID] {
        try await ledger.openSegments(of: task)
    }

    func outcomes(of task: TaskID) async throws(StoreError) -> TaskOutcomes? {
        try await ledger.outcomes(of: task)
    }

    func release(_ task: TaskID) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await ledger.release(task)
        }
    }

    func close(_ segments: [SegmentID], of task: TaskID) async throws(StoreError) -> TaskProgress? {
        try await scissors.around { () async throws(StoreError) in
            try await ledger.close(segments, of: task)
        }
    }
}
