package import PushModel
package import ServiceKit
package import Store

/// The ledger in memory, for tests and the simulation: the simplest code that fulfills the contract, as the reference
/// for the other one.
package final class MemoryLedger: Ledger, LedgerRestoration, Revertible {
    private struct Place: Hashable {
        let task: TaskID
        let segment: SegmentID
    }

    private struct State {
        var tasks: [TaskID: MemoryLedgerTask] = [:]
        var segments: [Place: MemoryLedgerSegment] = [:]
        /// Of all tasks, for segments with a cap.
        var pushes: [SegmentID: MemoryPushTimes] = [:]
        /// Expiry times of closed tasks and segments.
        var taskEnds: [TaskID: Timestamp] = [:]
        var segmentEnds: [Place: Timestamp] = [:]

        mutating func forget(at now: Timestamp) {
            for task in taskEnds.filter({ now >= $0.value }).keys {
                tasks[task] = nil
                taskEnds[task] = nil
            }
            for place in segmentEnds.filter({ now >= $0.value }).keys {
                segments[place] = nil
                segmentEnds[place] = nil
            }
        }
    }

    private let time: any TimeSource
    private let badges: any MemoryBadges
    private let state = Monitor(State())

    package init(time: any TimeSource, badges: any MemoryBadges = MemoryLedgerBadges()) {
        self.time = time
        self.badges = badges
    }

    package func plan(_ task: TaskID, as plan: TaskPlan) throws(StoreError) -> TaskPlan {
        guard plan.jobs <= TaskPlan.jobsMaximum else {
            throw StoreError(.tooMany, message: "a task has at most \(TaskPlan.jobsMaximum) jobs, not \(plan.jobs)")
        }
        return change { state, _ in
            if let plan = state.tasks[task]?.plan { return plan }
            state.tasks[task, default: MemoryLedgerTask()].plan = plan
            state.taskEnds[task] = nil
            return plan
        }
    }

    package func begin(
        _ task: TaskID, plan: TaskPlan, devices: [UInt8], unmatched: Int = 0, in segments: [SegmentNumber]
    ) -> TaskBeginning {
        precondition(plan.jobs == 1, "a task for few is one job")
        return change { state, _ in
            var known = state.tasks[task] ?? MemoryLedgerTask()
            if let plan = known.plan { return .planned(plan) }
            known.plan = plan
            known.devices = devices
            known.unmatched = unmatched
            known.open.formUnion(segments)
            state.tasks[task] = known
            state.taskEnds[task] = nil
            return .begun(EnteredTask(plan: plan, isCancelled: known.isCancelled))
        }
    }

    package func decidedDevices(of task: TaskID) -> [UInt8]? {
        change { state, _ in state.tasks[task]?.devices }
    }

    package func progress(of task: TaskID) -> TaskProgress? {
        change { state, _ in MemoryLedger.progress(of: task, state) }
    }

    package func isCancelled(_ task: TaskID) -> Bool {
        change { state, _ in state.tasks[task]?.isCancelled == true }
    }

    package func mark(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) -> MarkVerdict {
        change { state, _ in
            guard let plan = state.tasks[task]?.enter(segment) else { return .missing }
            let entered = EnteredTask(plan: plan, isCancelled: state.tasks[task]?.isCancelled == true)
            return MemoryLedger.mark(devices, in: Place(task: task, segment: segment), entered: entered, state: &state)
        }
    }

    package func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID, enteredIn entered: EnteredTask
    ) -> MarkVerdict {
        change { state, _ in
            MemoryLedger.mark(devices, in: Place(task: task, segment: segment), entered: entered, state: &state)
        }
    }

    private static func mark(
        _ devices: SegmentSet, in place: Place, entered: EnteredTask, state: inout State
    ) -> MarkVerdict {
        var ledger = state.segments[place] ?? MemoryLedgerSegment(plan: entered.plan)
        if entered.isCancelled { ledger.isCancelled = true }
        defer { state.segments[place] = ledger }
        return ledger.mark(devices)
    }

    package func `defer`(_ groups: [Deferral], of task: TaskID, in segment: SegmentID) -> SegmentSet {
        change { state, now in
            state.segments[Place(task: task, segment: segment)]?.defer(groups, at: now) ?? SegmentSet()
        }
    }

    package func deferrals(of task: TaskID, in segments: [SegmentID]) -> DeferralSummary {
        change { state, _ in
            segments.reduce(into: DeferralSummary()) { summary, segment in
                state.segments[Place(task: task, segment: segment)]?.deferrals.add(to: &summary)
            }
        }
    }

    package func resolve(job: Int, unmatched: Int = 0, of task: TaskID) throws(StoreError) {
        let jobs = change { state, _ -> Int? in
            guard let known = state.tasks[task], let jobs = known.plan?.jobs, known.resolved.count != jobs else {
                return nil
            }
            if (0..<jobs).contains(job) { state.tasks[task]?.resolve(job, of: jobs, unmatched: unmatched) }
            return jobs
        }
        guard let jobs, !(0..<jobs).contains(job) else { return }
        throw StoreError(.corrupt, message: "job \(job) of a task that has \(jobs)")
    }

    package func isResolved(job: Int, of task: TaskID) -> Bool? {
        change { state, _ in
            guard let known = state.tasks[task], let plan = known.plan else { return nil }
            return known.resolved.count == plan.jobs || known.resolved.contains(job)
        }
    }

    package func claim(_ request: ClaimRequest, of task: TaskID, in segment: SegmentID) -> ClaimVerdict {
        change { state, now in
            let place = Place(task: task, segment: segment)
            var pushes = state.pushes[segment] ?? MemoryPushTimes()
            let answers = badges.changeBadges(in: segment) { badges in
                state.segments[place]?.claim(request, at: now, counting: &badges, pushes: &pushes)
            }
            if request.cap != nil { state.pushes[segment] = pushes }
            return answers.map { .answers($0) } ?? .missing
        }
    }

    package func renew(_ claim: ClaimID, for duration: Duration, of task: TaskID, in segment: SegmentID) -> Bool {
        change { state, now in
            state.segments[Place(task: task, segment: segment)]?.renew(claim, until: now + duration) ?? false
        }
    }

    package func settle(_ settlement: Settlement, of task: TaskID, in segment: SegmentID) -> SettleVerdict {
        change { state, now in
            let refused = state.segments[Place(task: task, segment: segment)]?.settle(settlement, at: now)
            return refused.map { .settled(refused: $0) } ?? .missing
        }
    }

    package func noteReported(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) {
        change { state, _ in state.segments[Place(task: task, segment: segment)]?.noteReported(devices) }
    }

    package func unreported(of task: TaskID, in segment: SegmentID) -> [TaskOutcomes.Device] {
        change { state, _ in
            state.segments[Place(task: task, segment: segment)]?.unreported(in: segment.number) ?? []
        }
    }

    package func states(of task: TaskID, in segment: SegmentID) -> LedgerSnapshot? {
        change { state, _ in
            state.segments[Place(task: task, segment: segment)].map {
                LedgerSnapshot(counts: $0.counts, isCancelled: $0.isCancelled, states: $0.states)
            }
        }
    }

    package func detail(of offset: UInt16, task: TaskID, in segment: SegmentID) -> OutcomeDetail? {
        change { state, _ in state.segments[Place(task: task, segment: segment)]?.detail(of: offset) }
    }

    package func cancel(_ task: TaskID, in segment: SegmentID) -> SegmentSet {
        change { state, now in
            guard state.tasks[task]?.closed == nil else { return SegmentSet() }
            state.tasks[task, default: MemoryLedgerTask()].isCancelled = true
            guard state.tasks[task]?.plan != nil else {
                state.taskEnds[task] = now + TaskPlan.cancellationRetention
                return SegmentSet()
            }
            guard let plan = state.tasks[task]?.enter(segment) else { return SegmentSet() }
            return state.segments[Place(task: task, segment: segment), default: MemoryLedgerSegment(plan: plan)]
                .cancel()
        }
    }

    package func expire(
        _ task: TaskID, in segment: SegmentID, untried: DeliveryState
    ) -> [DeliveryState: SegmentSet] {
        change { state, now in
            state.segments[Place(task: task, segment: segment)]?.expire(at: now, untried: untried) ?? [:]
        }
    }

    package func openSegments(of task: TaskID) -> [SegmentID] {
        change { state, _ in
            guard let known = state.tasks[task], let plan = known.plan else { return [] }
            return known.open.sorted().map { SegmentID(plan.app, number: $0) }
        }
    }

    package func close(_ segments: [SegmentID], of task: TaskID) -> TaskProgress? {
        change { state, now in
            guard let plan = state.tasks[task]?.plan else { return nil }
            if state.tasks[task]?.resolved.count == plan.jobs, state.tasks[task]?.isRestoring != true {
                for segment in segments { close(segment, of: task, plan: plan, at: now, state: &state) }
                if state.tasks[task]?.closeIfDone(at: now) == true {
                    state.taskEnds[task] = now + TaskPlan.closedRetention
                }
            }
            return MemoryLedger.progress(of: task, state)
        }
    }

    package func beginRestoring(_ task: TaskID, plan: TaskPlan) -> Bool {
        change { state, _ in
            var known = state.tasks[task] ?? MemoryLedgerTask()
            guard known.plan == nil || known.isRestoring else { return false }
            known.plan = plan
            known.resolved = Set(0..<plan.jobs)
            known.isRestoring = true
            state.tasks[task] = known
            state.taskEnds[task] = nil
            return true
        }
    }

    package func restore(
        _ devices: SegmentSet, as end: DeliveryState, of task: TaskID, in segment: SegmentID, plan: TaskPlan
    ) -> SegmentSet? {
        change { state, _ in
            guard state.tasks[task]?.isRestoring == true else { return nil }
            state.tasks[task]?.open.insert(segment.number)
            let place = Place(task: task, segment: segment)
            return state.segments[place, default: MemoryLedgerSegment(plan: plan)].restore(devices, as: end)
        }
    }

    package func endRestoring(_ task: TaskID, plan: TaskPlan) {
        change { state, _ in
            guard state.tasks[task]?.isRestoring == true else { return }
            state.tasks[task]?.plan = plan
            state.tasks[task]?.isRestoring = false
        }
    }

    package func outcomes(of task: TaskID) -> TaskOutcomes? {
        change { state, _ in
            guard let known = state.tasks[task], let plan = known.plan, plan.isFast, known.closed != nil else {
                return nil
            }
            var devices: [TaskOutcomes.Device] = []
            for number in known.sums.keys.sorted() {
                let place = Place(task: task, segment: SegmentID(plan.app, number: number))
                guard let ledger = state.segments[place] else { return nil }
                for (offset, end) in ledger.states.sorted(by: { $0.key < $1.key }) {
                    let index = DeviceIndex(segment: number, offset: offset)
                    devices.append(
                        TaskOutcomes.Device(index: index, state: end, detail: ledger.detail(of: offset)))
                }
            }
            return TaskOutcomes(plan: plan, devices: devices)
        }
    }

    package func release(_ task: TaskID) {
        change { state, now in
            guard let known = state.tasks[task], let plan = known.plan, plan.isFast, known.closed != nil else { return }
            let end = now + TaskPlan.retention(isFast: true)
            for number in known.sums.keys {
                state.segmentEnds[Place(task: task, segment: SegmentID(plan.app, number: number))] = end
            }
            state.taskEnds[task] = end
        }
    }

    private func close(
        _ segment: SegmentID, of task: TaskID, plan: TaskPlan, at now: Timestamp, state: inout State
    ) {
        guard segment.app == plan.app, state.tasks[task]?.open.contains(segment.number) == true else { return }
        let place = Place(task: task, segment: segment)
        guard let counts = state.segments[place, default: MemoryLedgerSegment(plan: plan)].close() else { return }
        state.tasks[task]?.close(segment.number, with: counts, of: state.segments[place])
        state.segmentEnds[place] = now + TaskPlan.closedRetention
    }

    private static func progress(of task: TaskID, _ state: State) -> TaskProgress? {
        guard let known = state.tasks[task], let plan = known.plan else { return nil }
        var counts = known.totals ?? StateCounts()
        for sum in known.sums.values { counts.add(sum) }
        for number in known.open {
            let place = Place(task: task, segment: SegmentID(plan.app, number: number))
            if let open = state.segments[place]?.counts { counts.add(open) }
        }
        return TaskProgress(
            plan: plan, jobsResolved: known.resolved.count, isCancelled: known.isCancelled, counts: counts,
            providers: known.providers, reasons: known.reasons, unmatched: known.unmatched,
            open: known.open.sorted(), closed: known.closed)
    }

    private func change<Result>(_ body: (inout State, Timestamp) -> Result) -> Result {
        let now = time.now
        return state.withLock { state in
            state.forget(at: now)
            return body(&state, now)
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
