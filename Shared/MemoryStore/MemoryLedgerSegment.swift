import PushModel
import ServiceKit
import Store

/// The ledger of one segment in one task: only the rules, without locks, keys or encodings.
struct MemoryLedgerSegment {
    private struct Claim {
        var attempt: UInt8
        var leaseEnd: Timestamp
        var offsets: Set<UInt16> = []
    }

    /// The effect of a claim on one device.
    private enum Decision {
        case answer(ClaimAnswer)
        case take
        case end(DeliveryState)
    }

    let plan: TaskPlan
    /// True if devices marked from now on end immediately.
    var isCancelled = false
    private(set) var isClosed = false
    private(set) var states: [UInt16: DeliveryState] = [:]
    private var claims: [ClaimID: Claim] = [:]
    private var details: [UInt16: OutcomeDetail] = [:]
    private var reported: Set<UInt16> = []
    private(set) var providers: [PushProtocol: OutcomeCounts] = [:]
    private(set) var deferrals = MemoryDeferrals()

    init(plan: TaskPlan) {
        self.plan = plan
    }

    var counts: StateCounts {
        states.values.reduce(into: StateCounts()) { counts, state in counts[state] += 1 }
    }

    func detail(of offset: UInt16) -> OutcomeDetail? {
        if let deferral = deferrals.detail(of: offset) { return deferral }
        guard let detail = details[offset], let state = states[offset] else { return nil }
        return OutcomeDetail(
            state: state, attempt: detail.attempt, time: detail.time, status: detail.status, reason: detail.reason,
            due: detail.due)
    }

    /// Of devices that have ended.
    var reasons: ReasonCounts {
        details.reduce(into: ReasonCounts()) { reasons, entry in
            guard let state = states[entry.key] else { return }
            reasons.add(of: ReasonCounts.Reason(state, status: entry.value.status, text: entry.value.reason))
        }
    }

    mutating func mark(_ devices: SegmentSet) -> MarkVerdict {
        guard !isClosed else { return .missing }
        for offset in devices.offsets where states[offset] == nil {
            states[offset] = isCancelled ? .cancelled : .targeted
        }
        guard !isCancelled else { return .cancelled }
        return .open(
            SegmentSet(devices.offsets.filter { states[$0]?.isTerminal == false && states[$0] != .deferred }))
    }

    mutating func `defer`(_ groups: [Deferral], at now: Timestamp) -> SegmentSet {
        var accepted = SegmentSet()
        for group in groups {
            for offset in group.offsets where !accepted.contains(offset) {
                guard states[offset] == .targeted || states[offset] == .deferred else { continue }
                states[offset] = .deferred
                deferrals.set(offset, cause: group.cause, due: group.due, at: now)
                accepted.insert(offset)
            }
        }
        return accepted
    }

    /// Counts the badges and pushes of devices claimed for the first time.
    mutating func claim(
        _ request: ClaimRequest, at now: Timestamp, counting badges: inout [UInt16: UInt32],
        pushes: inout MemoryPushTimes
    ) -> [ClaimAnswer] {
        request.offsets.map { offset in
            switch decide(offset, request: request, at: now) {
            case .answer(let answer):
                return answer
            case .end(let state):
                end(offset, as: state)
                return .ended(state)
            case .take:
                let isFirst = states[offset] == .targeted || states[offset] == .deferred
                if isFirst, let cap = request.cap, let end = pushes.count(offset, cap: cap, at: now) {
                    return .capped(until: end)
                }
                if request.countsBadge, isFirst { badges[offset, default: 0] += 1 }
                take(offset, request: request, at: now)
                return .claimed(badge: request.countsBadge ? badges[offset] : nil)
            }
        }
    }

    mutating func renew(_ id: ClaimID, until end: Timestamp) -> Bool {
        guard claims[id] != nil else { return false }
        claims[id]?.leaseEnd = end
        return true
    }

    mutating func settle(_ settlement: Settlement, at now: Timestamp) -> SegmentSet {
        var refused = SegmentSet()
        for group in settlement.groups {
            for offset in SegmentSet(group.offsets).offsets {
                guard let claim = claims[settlement.claim], claim.offsets.contains(offset) else {
                    refused.insert(offset)
                    continue
                }
                end(offset, as: group.state)
                if group.state.isTerminal, let provider = group.provider {
                    providers[provider, default: OutcomeCounts()][group.state] += 1
                }
                let attempt = max(group.attempt, claim.attempt)
                guard plan.keepsDetail(of: group.state, attempt: attempt) else { continue }
                details[offset] = OutcomeDetail(
                    state: group.state, attempt: attempt, time: settlement.attempted ?? now,
                    status: group.status, reason: group.reason, due: group.due)
            }
        }
        return refused
    }

    mutating func cancel() -> SegmentSet {
        isCancelled = true
        let ended = states.filter { [.targeted, .waiting, .deferred].contains($0.value) }.keys
        for offset in ended { end(offset, as: .cancelled) }
        return SegmentSet(ended)
    }

    mutating func expire(at now: Timestamp, untried: DeliveryState) -> [DeliveryState: SegmentSet] {
        guard now >= plan.deadline else { return [:] }
        var ended: [DeliveryState: SegmentSet] = [:]
        for (offset, state) in states {
            let final: DeliveryState
            switch state {
            case .targeted, .waiting, .deferred: final = isCancelled ? .cancelled : untried
            case .claimed where claim(holding: offset).map { now >= $0.value.leaseEnd } ?? true: final = .unknown
            default: continue
            }
            end(offset, as: final)
            ended[final, default: SegmentSet()].insert(offset)
        }
        return ended
    }

    mutating func noteReported(_ devices: SegmentSet) {
        reported.formUnion(devices.offsets)
    }

    /// `number` is this segment's.
    func unreported(in number: SegmentNumber) -> [TaskOutcomes.Device] {
        states.filter { $0.value.isTerminal && !reported.contains($0.key) }.sorted { $0.key < $1.key }
            .map { offset, state in
                TaskOutcomes.Device(
                    index: DeviceIndex(segment: number, offset: offset), state: state, detail: detail(of: offset))
            }
    }

    /// Returns the devices now in this state.
    mutating func restore(_ devices: SegmentSet, as state: DeliveryState) -> SegmentSet {
        for offset in devices.offsets where states[offset] == nil { states[offset] = state }
        return SegmentSet(devices.offsets.filter { states[$0] == state })
    }

    /// The final counts; afterwards marks are refused. Nil while devices are open.
    mutating func close() -> StateCounts? {
        guard counts.open == 0 else { return nil }
        isClosed = true
        return counts
    }

    private func decide(_ offset: UInt16, request: ClaimRequest, at now: Timestamp) -> Decision {
        let ending: DeliveryState? = isCancelled ? .cancelled : now >= plan.deadline ? .expired : nil
        let ownEnding = ending ?? request.deadline.flatMap { now >= $0 ? .expired : nil }
        guard let state = states[offset] else { return .answer(.unmarked) }
        switch state {
        case .targeted, .waiting, .deferred:
            if let ending { return .end(ending) }
            if request.kind == .deferral, state == .targeted {
                return .answer(.held(for: ClaimRequest.undeferredPause))
            }
            guard (request.kind == .deferral) == (state == .deferred) else { return .answer(.superseded) }
            let next = state == .waiting ? details[offset]?.attempt ?? 0 : 0
            guard request.attempt >= next else { return .answer(.superseded) }
            return ownEnding.map { .end($0) } ?? .take
        case .claimed:
            return decide(offset, request: request, against: claim(holding: offset), ending: ownEnding, at: now)
        default:
            return .answer(reported.contains(offset) ? .reported : .ended(state))
        }
    }

    /// For a device with a current or former holder.
    private func decide(
        _ offset: UInt16, request: ClaimRequest, against holder: (key: ClaimID, value: Claim)?,
        ending: DeliveryState?, at now: Timestamp
    ) -> Decision {
        guard let holder, request.attempt >= holder.value.attempt else { return .answer(.superseded) }
        if holder.key == request.id { return .take }
        if now < holder.value.leaseEnd { return .answer(.held(for: holder.value.leaseEnd - now)) }
        // Its holder has requested the retry that claims now, so the earlier attempt was not delivered.
        if request.attempt > holder.value.attempt { return ending.map { .end($0) } ?? .take }
        return ending != nil || plan.policy == .atMostOnce ? .end(.unknown) : .take
    }

    private mutating func take(_ offset: UInt16, request: ClaimRequest, at now: Timestamp) {
        end(offset, as: .claimed)
        var claim = claims[request.id] ?? Claim(attempt: request.attempt, leaseEnd: now)
        claim.attempt = request.attempt
        claim.leaseEnd = now + request.lease
        claim.offsets.insert(offset)
        claims[request.id] = claim
    }

    /// The device's holder loses it.
    private mutating func end(_ offset: UInt16, as state: DeliveryState) {
        states[offset] = state
        deferrals.remove(offset)
        guard let id = claim(holding: offset)?.key else { return }
        claims[id]?.offsets.remove(offset)
        if claims[id]?.offsets.isEmpty == true { claims[id] = nil }
    }

    private func claim(holding offset: UInt16) -> (key: ClaimID, value: Claim)? {
        claims.first { $0.value.offsets.contains(offset) }
    }
}
