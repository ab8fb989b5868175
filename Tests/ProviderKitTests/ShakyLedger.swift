import PushModel
import ServiceKit
import Store

/// A ledger that fails as scripted, before or after it has carried out a call.
final class ShakyLedger: Ledger {
    enum Step: Hashable {
        case claim
        case `defer`
        case settle
        case detail
        case noteReported
    }

    enum Fault {
        case notDone
        case answerLost
    }

    typealias Weather = @Sendable (ClaimRequest) async -> StoreError?

    static let lost = StoreError(.unavailable, message: "the connection broke")

    private let ledger: any Ledger
    private let faults = Monitor<[Step: [Fault]]>([:])
    private let weather = Monitor<Weather?>(nil)

    init(_ ledger: any Ledger) {
        self.ledger = ledger
    }

    /// Makes the next calls of this step fail, in order.
    func fail(_ step: Step, list: [Fault]) {
        faults.change { $0[step] = list }
    }

    /// Sets a body that runs before each claim.
    func beforeClaims(_ body: @escaping Weather) {
        weather.change { $0 = body }
    }

    func claim(
        _ request: ClaimRequest, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> ClaimVerdict {
        if let body = weather.withLock({ $0 }), let error = await body(request) { throw error }
        let fault = next(.claim)
        if fault == .notDone { throw ShakyLedger.lost }
        let verdict = try await ledger.claim(request, of: task, in: segment)
        if fault == .answerLost { throw ShakyLedger.lost }
        return verdict
    }

    func settle(
        _ settlement: Settlement, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SettleVerdict {
        let fault = next(.settle)
        if fault == .notDone { throw ShakyLedger.lost }
        let verdict = try await ledger.settle(settlement, of: task, in: segment)
        if fault == .answerLost { throw ShakyLedger.lost }
        return verdict
    }

    func detail(
        of offset: UInt16, task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> OutcomeDetail? {
        if next(.detail) != nil { throw ShakyLedger.lost }
        return try await ledger.detail(of: offset, task: task, in: segment)
    }

    private func next(_ step: Step) -> Fault? {
        faults.withLock { faults in
            guard let list = faults[step], let first = list.first else { return nil }
            faults[step] = Array(list.dropFirst())
            return first
        }
    }
}

// Methods that a sender does not call, or that have no scripted fault.
extension ShakyLedger {
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

    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> MarkVerdict {
        try await ledger.mark(devices, of: task, in: segment)
    }

    func isResolved(job: Int, of task: TaskID) async throws(StoreError) -> Bool? {
        try await ledger.isResolved(job: job, of: task)
    }

    func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID, enteredIn entered: EnteredTask
    ) async throws(StoreError) -> MarkVerdict {
        try await ledger.mark(devices, of: task, in: segment, enteredIn: entered)
    }

    func `defer`(
        _ groups: [Deferral], of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SegmentSet {
        let fault = next(.defer)
        if fault == .notDone { throw ShakyLedger.lost }
        let deferred = try await ledger.defer(groups, of: task, in: segment)
        if fault == .answerLost { throw ShakyLedger.lost }
        return deferred
    }

    func deferrals(of task: TaskID, in segments: [SegmentID]) async throws(StoreError) -> DeferralSummary {
        try await ledger.deferrals(of: task, in: segments)
    }

    func resolve(job: Int, unmatched: Int, of task: TaskID) async throws(StoreError) {
        try await ledger.resolve(job: job, unmatched: unmatched, of: task)
    }

    func renew(
        _ claim: ClaimID, for duration: Duration, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> Bool {
        try await ledger.renew(claim, for: duration, of: task, in: segment)
    }

    func states(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> LedgerSnapshot? {
        try await ledger.states(of: task, in: segment)
    }

    func cancel(_ task: TaskID, in segment: SegmentID) async throws(StoreError) -> SegmentSet {
        try await ledger.cancel(task, in: segment)
    }

    func expire(
        _ task: TaskID, in segment: SegmentID, untried: DeliveryState
    ) async throws(StoreError) -> [DeliveryState: SegmentSet] {
        try await ledger.expire(task, in: segment, untried: untried)
    }

    func noteReported(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError) {
        if next(.noteReported) != nil { throw ShakyLedger.lost }
        try await ledger.noteReported(devices, of: task, in: segment)
    }

    func unreported(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> [TaskOutcomes.Device] {
        try await ledger.unreported(of: task, in: segment)
    }

    func openSegments(of task: TaskID) async throws(StoreError) -> [SegmentID] {
        try await ledger.openSegments(of: task)
    }

    func isCancelled(_ task: TaskID) async throws(StoreError) -> Bool {
        try await ledger.isCancelled(task)
    }

    func close(_ segments: [SegmentID], of task: TaskID) async throws(StoreError) -> TaskProgress? {
        try await ledger.close(segments, of: task)
    }

    func outcomes(of task: TaskID) async throws(StoreError) -> TaskOutcomes? {
        try await ledger.outcomes(of: task)
    }

    func release(_ task: TaskID) async throws(StoreError) {
        try await ledger.release(task)
    }
}
