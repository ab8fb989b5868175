import MemoryStore
import PushModel
import ServiceKit
import Store

struct SimulatedLedger: Ledger {
    let base: any Ledger & LedgerRestoration
    let seam: Seam
    let witness: SimulatedWitness

    func plan(_ task: TaskID, as plan: TaskPlan) async throws(StoreError) -> TaskPlan {
        try await seam.call("ledger.plan") { try await base.plan(task, as: mistaken(plan)) }
    }

    func begin(_ task: TaskID, plan: TaskPlan, devices: [UInt8], unmatched: Int, in segments: [SegmentNumber])
        async throws(StoreError) -> TaskBeginning
    {
        try await seam.call("ledger.begin") {
            try await base.begin(
                task, plan: mistaken(plan), devices: devices, unmatched: mistaken(unmatched), in: segments)
        }
    }

    func decidedDevices(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await seam.call("ledger.decidedDevices") { try await base.decidedDevices(of: task) }
    }

    func progress(of task: TaskID) async throws(StoreError) -> TaskProgress? {
        try await seam.call("ledger.progress") { try await base.progress(of: task) }
    }

    func isCancelled(_ task: TaskID) async throws(StoreError) -> Bool {
        try await seam.call("ledger.isCancelled") { try await base.isCancelled(task) }
    }

    func mark(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError) -> MarkVerdict {
        try await seam.call("ledger.mark") { try await base.mark(devices, of: task, in: segment) }
    }

    func mark(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID, enteredIn entered: EnteredTask)
        async throws(StoreError) -> MarkVerdict
    {
        if seam.world.bug == .markForgotten, seam.chance(5) { return .open(devices) }
        return try await seam.call("ledger.mark") {
            try await base.mark(devices, of: task, in: segment, enteredIn: entered)
        }
    }

    func `defer`(_ groups: [Deferral], of task: TaskID, in segment: SegmentID) async throws(StoreError) -> SegmentSet {
        if seam.world.bug == .deferralForgotten { return SegmentSet(groups.flatMap(\.offsets)) }
        return try await seam.call("ledger.defer") { try await base.`defer`(groups, of: task, in: segment) }
    }

    func deferrals(of task: TaskID, in segments: [SegmentID]) async throws(StoreError) -> DeferralSummary {
        try await seam.call("ledger.deferrals") { try await base.deferrals(of: task, in: segments) }
    }

    func resolve(job: Int, unmatched: Int, of task: TaskID) async throws(StoreError) {
        try await seam.call("ledger.resolve") {
            try await base.resolve(job: job, unmatched: mistaken(unmatched), of: task)
        }
    }

    func isResolved(job: Int, of task: TaskID) async throws(StoreError) -> Bool? {
        try await seam.call("ledger.isResolved") { try await base.isResolved(job: job, of: task) }
    }

    func claim(_ request: ClaimRequest, of task: TaskID, in segment: SegmentID) async throws(StoreError) -> ClaimVerdict
    {
        let request = mistaken(request)
        let raise = witness.nextRaise
        let (verdict, answer) = try await seam.call("ledger.claim") {
            (try await base.claim(request, of: task, in: segment), witness.perform(raise))
        }
        try await witness.note(answer, of: raise)
        if seam.world.bug == .badgeCountedAgain, request.attempt > 0, request.countsBadge {
            seam.world.registry.changeBadges(in: segment) { badges in
                for offset in request.offsets { badges[offset, default: 0] += 1 }
            }
        }
        guard seam.world.bug == .claimWithoutFencing, case .answers(let answers) = verdict else { return verdict }
        return .answers(answers.map { $0.isHeld ? .claimed(badge: nil) : $0 })
    }

    func renew(_ claim: ClaimID, for duration: Duration, of task: TaskID, in segment: SegmentID)
        async throws(StoreError) -> Bool
    {
        try await seam.call("ledger.renew") { try await base.renew(claim, for: duration, of: task, in: segment) }
    }

    func settle(_ settlement: Settlement, of task: TaskID, in segment: SegmentID) async throws(StoreError)
        -> SettleVerdict
    {
        let verdict = try await seam.call("ledger.settle") {
            try await base.settle(settlement, of: task, in: segment)
        }
        switch seam.world.bug {
        case .settlementWithoutClaim: return verdict == .missing ? .missing : .settled(refused: SegmentSet())
        case .reportedBeforePublished:
            let ended = settlement.groups.filter(\.state.isTerminal).flatMap(\.offsets)
            try await base.noteReported(SegmentSet(ended), of: task, in: segment)
            return verdict
        default: return verdict
        }
    }

    func noteReported(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError) {
        try await seam.call("ledger.noteReported") { try await base.noteReported(devices, of: task, in: segment) }
    }

    func unreported(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> [TaskOutcomes.Device] {
        try await seam.call("ledger.unreported") { try await base.unreported(of: task, in: segment) }
    }

    func states(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> LedgerSnapshot? {
        try await seam.call("ledger.states") { try await base.states(of: task, in: segment) }
    }

    func detail(of offset: UInt16, task: TaskID, in segment: SegmentID) async throws(StoreError) -> OutcomeDetail? {
        try await seam.call("ledger.detail") { try await base.detail(of: offset, task: task, in: segment) }
    }

    func cancel(_ task: TaskID, in segment: SegmentID) async throws(StoreError) -> SegmentSet {
        switch seam.world.bug {
        case .cancelForgotten: return SegmentSet()
        case .tombstoneLost where try await base.progress(of: task) == nil: return SegmentSet()
        default: break
        }
        return try await seam.call("ledger.cancel") { try await base.cancel(task, in: segment) }
    }

    func expire(_ task: TaskID, in segment: SegmentID, untried: DeliveryState) async throws(StoreError)
        -> [DeliveryState: SegmentSet]
    {
        if seam.world.bug == .expiryForgotten { return [:] }
        return try await seam.call("ledger.expire") { try await base.expire(task, in: segment, untried: untried) }
    }

    func openSegments(of task: TaskID) async throws(StoreError) -> [SegmentID] {
        try await seam.call("ledger.openSegments") { try await base.openSegments(of: task) }
    }

    func close(_ segments: [SegmentID], of task: TaskID) async throws(StoreError) -> TaskProgress? {
        try await seam.call("ledger.close") { try await base.close(segments, of: task) }
    }

    func outcomes(of task: TaskID) async throws(StoreError) -> TaskOutcomes? {
        try await seam.call("ledger.outcomes") { try await base.outcomes(of: task) }
    }

    func release(_ task: TaskID) async throws(StoreError) {
        try await seam.call("ledger.release") { try await base.release(task) }
    }
}

extension SimulatedLedger {
    fileprivate func mistaken(_ unmatched: Int) -> Int {
        seam.world.bug == .strangersForgotten && seam.chance(20) ? 0 : unmatched
    }

    fileprivate func mistaken(_ request: ClaimRequest) -> ClaimRequest {
        guard seam.world.bug == .capForgotten else { return request }
        return ClaimRequest(
            id: request.id, offsets: request.offsets, attempt: request.attempt, lease: request.lease,
            countsBadge: request.countsBadge, kind: request.kind, deadline: request.deadline)
    }

    fileprivate func mistaken(_ plan: TaskPlan) -> TaskPlan {
        guard seam.world.bug == .repeatsDespiteAtMostOnce else { return plan }
        return TaskPlan(
            app: plan.app, jobs: plan.jobs, isFast: plan.isFast, deadline: plan.deadline, policy: .atLeastOnce)
    }
}
