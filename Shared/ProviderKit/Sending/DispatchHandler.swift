package import Bus
import PushModel
package import ServiceKit
package import Store
import TaskKit
package import Topics

/// Handles dispatch chunks: claims the devices, sends, settles and reports.
///
/// After any interruption each device ends once: unclaimed devices remain for the next delivery of the chunk, claimed
/// and unsettled ones are found under an expired lease, and settled ones are reported again from the ledger.
package struct DispatchHandler: MessageHandler {
    /// Devices claimed, sent and settled together if the provider takes one device per request.
    package static let batchMaximum = 64
    private static let reportInterval = Duration.milliseconds(50)
    private static let forgottenReason = "the store came back with older data"
    private static let outageReason = "the provider is in an outage"

    private let owner: UInt64
    private let claims: ClaimNumbers
    private let ledger: PatientLedger
    private let gateways: any GatewayDirectory
    private let breakers: DeletionBreakers
    private let halts: AppHalts
    private let outages: OutageWatch
    private let witness: any LedgerWitness
    private let pacer: PushPacer
    private let activities: ActivityWatch?
    private let policy: DeliveryPolicy
    private let lease: Duration
    private let meters: SenderMeters

    /// `lease` must be longer than a gateway's longest wait for an answer. `activities` is nil for senders that Live
    /// Activities do not use.
    package init(
        ledger: any Ledger, gateways: any GatewayDirectory, halts: AppHalts, outages: OutageWatch,
        breakers: DeletionBreakers, witness: any LedgerWitness, pacer: PushPacer,
        activities: ActivityWatch? = nil, policy: DeliveryPolicy = DeliveryPolicy(), lease: Duration = .seconds(90),
        random: any RandomSource,
        metrics: Metrics
    ) {
        owner = random.next()
        claims = ClaimNumbers()
        self.ledger = PatientLedger(ledger)
        self.gateways = gateways
        self.halts = halts
        self.outages = outages
        self.breakers = breakers
        self.witness = witness
        self.pacer = pacer
        self.activities = activities
        self.policy = policy
        self.lease = lease
        meters = SenderMeters(metrics)
    }

    /// Chunks are handled concurrently: one app's slow provider does not delay the next chunk, maybe another's. What has
    /// ended is reported while the rest is in flight: the outcome of a device waits for the slow servers of no other.
    package func handle(
        _ messages: [ReceivedMessage<DispatchChunk>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try checkStore()
        let batches = messages.indices.flatMap { chunk in split(messages[chunk]).map { (chunk, $0) } }
        let ends = BatchEnds()
        var failure: (any Error)?
        // A failed batch cancels no other: their pushes in flight would end as unknown and be sent again.
        await runAll(batches, every: DispatchHandler.reportInterval, time: context.time) { chunk, batch in
            do {
                try await pace(batch, context: context) { ends.add($0, of: chunk) }
                return nil
            } catch {
                return error
            }
        } onEnd: { (error: (any Error)?) in
            failure = failure ?? error
        } onInterval: {
            do {
                try await tell(ends.takeWaitingResults(), of: messages, context: context)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        try await tell(ends.takeAll(), of: messages, context: context)
        return []
    }

    /// Reported results are noted in the ledger once they are durable, so that a redelivered chunk repeats only what
    /// was in flight here. Without the note everything is reported again, which is harmless: a ledger that does not
    /// answer loses nothing.
    private func tell(
        _ ends: [BatchEnds.Entry], of received: [ReceivedMessage<DispatchChunk>], context: HandlerContext
    ) async throws {
        let messages = ends.flatMap { position, end in
            let (chunk, trace) = (received[position].message, received[position].trace)
            return ResultBatch.messages(
                end.results, of: chunk.task, app: chunk.app, at: context.time.now, trace: trace) + end.orders
        }
        guard !messages.isEmpty else { return }
        try await context.producer.send(messages)
        let reported = ends.flatMap { ReportedDevices.of($0.end.results, chunk: received[$0.chunk].message) }
        await withTaskGroup(of: Void.self) { group in
            for part in reported {
                group.addTask { _ = try? await ledger.noteReported(part.devices, of: part.task, in: part.segment) }
            }
        }
    }

    private func split(_ received: ReceivedMessage<DispatchChunk>) -> [DispatchBatch] {
        let pacedMaximum = PushPacer.partMaximum(of: received.message.rates)
        return DispatchBatch.split(received.message, trace: received.trace) { kind in
            min(pacedMaximum, kind.sharesRequests ? ClaimRequest.devicesMaximum : DispatchHandler.batchMaximum)
        }
    }

    /// Runs the batch when the rates of its task and app allow it.
    private func pace(
        _ batch: DispatchBatch, context: HandlerContext, collect: (BatchEnd) -> Void
    ) async throws {
        let (chunk, count) = (batch.chunk, batch.positions.count)
        guard !chunk.rates.isEmpty else { return try await run(batch, turn: nil, context: context, collect: collect) }
        guard let turn = try await pacer.turn(of: count, at: chunk.rates, lane: chunk.lane) else {
            meters.overRate.increment(by: count)
            return collect(
                try await putAside(
                    batch, positions: batch.positions, for: PacingBounds.takenAhead, reason: OutcomeReason.rate,
                    context: context))
        }
        defer { turn.end() }
        try await run(batch, turn: turn, context: context, collect: collect)
    }

    private func run(
        _ batch: DispatchBatch, turn: PacedTurn?, context: HandlerContext, collect: (BatchEnd) -> Void
    ) async throws {
        var rest = batch.positions[...]
        while !rest.isEmpty {
            switch await admit(batch, count: rest.count) {
            case .go(let gateway, let count, let isProbe):
                try await send(
                    batch, positions: Array(rest.prefix(count)), through: gateway, isProbe: isProbe, turn: turn,
                    context: context, collect: collect)
                rest = rest.dropFirst(count)
            case .aside(let pause, let reason):
                collect(
                    try await putAside(batch, positions: Array(rest), for: pause, reason: reason, context: context))
                rest = []
            case .end(let state, let reason):
                collect(
                    try await endUntried(batch, positions: Array(rest), as: state, reason: reason, context: context))
                rest = []
            }
        }
    }

    /// True if devices of a task that allows no repeat may have had their push without a trace in the ledger.
    private func mayHaveForgotten(_ batch: DispatchBatch) -> Bool {
        let accepted = Timestamp(milliseconds: batch.chunk.accepted)
        return !batch.chunk.repeatsUnknown && witness.epoch.mayHaveForgotten(tasksOf: accepted)
    }

    /// A store that needs a rebuild proves nothing.
    private func checkStore() throws(StoreError) {
        guard !witness.epoch.isDoubtful else {
            throw StoreError(.notReady, message: "Redis came back with older data: run carillon rebuild")
        }
    }

    /// Devices that get a start's message instead are sent to whatever became of the activity.
    private func isSuperseded(_ batch: DispatchBatch) async -> Bool {
        guard let activity = batch.chunk.activity, batch.route.kind.carrier != batch.route.kind else { return false }
        return await activities?.isSuperseded(activity, of: batch.chunk.app) ?? false
    }

    private enum BatchAdmission {
        /// A probe is one push that tests whether an outage is over.
        case go(any PushGateway, Int, isProbe: Bool)
        case aside(Duration, reason: String)
        case end(DeliveryState, reason: String)

        init(_ order: AppHalts.Order) {
            self =
                switch order {
                case .wait(let reason): .aside(DeliveryPolicy.parking, reason: reason)
                case .giveUp(let reason): .end(.failed, reason: reason)
                }
        }
    }

    private func admit(_ batch: DispatchBatch, count: Int) async -> BatchAdmission {
        if mayHaveForgotten(batch) { return .end(.unknown, reason: DispatchHandler.forgottenReason) }
        if await isSuperseded(batch) { return .end(.suppressed, reason: OutcomeReason.superseded) }
        let route = batch.route
        if let order = halts.current(route) { return BatchAdmission(order) }
        switch await gateways.gateway(for: route.app, route.kind) {
        case .noProvider: return .end(.suppressed, reason: OutcomeReason.noProvider)
        case .unknownApp: return BatchAdmission(halts.halt(route, reason: "there is no valid app file"))
        case .found(let gateway): return await admit(batch, count: count, to: gateway)
        }
    }

    private func admit(_ batch: DispatchBatch, count: Int, to gateway: any PushGateway) async -> BatchAdmission {
        let route = batch.route
        switch await outages.passage(route.providerRoute) {
        case .open: return await admit(batch, count: count, through: gateway, isProbe: false)
        case .probe: return await admit(batch, count: 1, through: gateway, isProbe: true)
        case .paused(let pause): return .aside(pause, reason: DispatchHandler.outageReason)
        }
    }

    private func admit(
        _ batch: DispatchBatch, count: Int, through gateway: any PushGateway, isProbe: Bool
    ) async -> BatchAdmission {
        let route = batch.route
        switch await gateway.admit(count, lane: batch.chunk.lane) {
        case .admitted(let admitted):
            guard !isProbe, let pause = outages.pause(of: route.providerRoute) else {
                return .go(gateway, admitted, isProbe: isProbe)
            }
            // The outage began while the batch waited for room.
            await gateway.giveBack(admitted)
            return .aside(pause, reason: DispatchHandler.outageReason)
        case .unavailable(let reason):
            let pause = await outages.fail(route.providerRoute, isProbe: isProbe, reason: reason)
            return .aside(pause, reason: DispatchHandler.outageReason)
        case .pausedFor(let pause):
            if isProbe { await outages.giveBackProbe(route.providerRoute) }
            return .aside(pause, reason: "the provider asked for a pause")
        case .halted(let reason):
            if isProbe { await outages.giveBackProbe(route.providerRoute) }
            return BatchAdmission(halts.halt(route, reason: reason))
        }
    }

    private func send(
        _ batch: DispatchBatch, positions: [Int], through gateway: any PushGateway, isProbe: Bool,
        turn: PacedTurn?, context: HandlerContext, collect: (BatchEnd) -> Void
    ) async throws {
        let claimed: ClaimedBatch
        do {
            claimed = try await claim(batch, positions: positions, cap: batch.cap?.cap, context: context)
            try checkStore()
        } catch {
            await gateway.giveBack(positions.count)
            if isProbe { await outages.giveBackProbe(batch.route.providerRoute) }
            throw error
        }
        if mayHaveForgotten(batch) {
            // The claim detected it.
            await gateway.giveBack(positions.count)
            if isProbe { await outages.giveBackProbe(batch.route.providerRoute) }
            return collect(
                try await endUntried(
                    batch, claimed: claimed, as: .unknown, reason: DispatchHandler.forgottenReason, context: context))
        }
        await gateway.giveBack(positions.count - claimed.mine.count)
        if claimed.mine.isEmpty {
            if isProbe { await outages.giveBackProbe(batch.route.providerRoute) }
        } else {
            turn?.end()
            try await send(
                batch, claimed: claimed, through: gateway, isProbe: isProbe, context: context, collect: collect)
        }
        // Last: a failure here must not leave claimed and unsent devices behind.
        collect(try await unclaimed(batch, claimed: claimed, context: context))
    }

    /// A part that cannot be settled stops no other: the redelivered chunk finds its devices under an expired claim.
    private func send(
        _ batch: DispatchBatch, claimed: ClaimedBatch, through gateway: any PushGateway, isProbe: Bool,
        context: HandlerContext, collect: (BatchEnd) -> Void
    ) async throws {
        let started = (uptime: context.time.uptime, time: context.time.now)
        var settling = Duration.zero
        var isHalted = false
        var failure: (any Error)?
        await gateway.send(claimed.mine.map { batch.push(at: $0.position, badge: $0.badge) }) { part in
            let handedOver = context.time.uptime
            meters.note(part.values, after: handedOver - started.uptime - settling)
            await outages.note(part.values, route: batch.route.providerRoute, isProbe: isProbe)
            // A halt outlasts the deliveries of its own batch.
            let order = note(part.values, route: batch.route, mayClear: !isHalted)
            isHalted = isHalted || order != nil
            do {
                collect(
                    try await settle(
                        batch, part: part, claimed: claimed, order: order, attempted: started.time, context: context))
            } catch {
                failure = failure ?? error
            }
            settling += context.time.uptime - handedOver
        }
        if let failure { throw failure }
    }

    private func settle(
        _ batch: DispatchBatch, part: PartialOutcomes, claimed: ClaimedBatch, order: AppHalts.Order?,
        attempted: Timestamp, context: HandlerContext
    ) async throws -> BatchEnd {
        let decisions = part.entries.map { index, outcome in
            let position = claimed.mine[index].position
            let verdict = outcome.saysInvalid ? breakers.verdict(batch.route.world) : .keep
            var attempt = attempt(batch, position: position, context: context, verdict: verdict, attempted: attempted)
            if case .giveUp = order { attempt.waitsForCredentials = false }
            return (position: position, decision: policy.decision(of: outcome, attempt, random: context.random))
        }
        return try await settle(
            batch, decisions: decisions, claimed: claimed, attempted: attempted, context: context)
    }

    private func putAside(
        _ batch: DispatchBatch, positions: [Int], for pause: Duration, reason: String, context: HandlerContext
    ) async throws -> BatchEnd {
        let claimed = try await claim(batch, positions: positions, cap: batch.cap?.cap, context: context)
        let now = context.time.now
        let decisions = claimed.mine.map { device in
            let attempt = attempt(batch, position: device.position, context: context, attempted: now)
            return (device.position, policy.aside(attempt, for: pause, reason: reason))
        }
        return try await end(batch, decisions: decisions, claimed: claimed, attempted: now, context: context)
    }

    /// Ends devices to which nothing is sent, now or later.
    private func endUntried(
        _ batch: DispatchBatch, positions: [Int], as state: DeliveryState, reason: String, context: HandlerContext
    ) async throws -> BatchEnd {
        let claimed = try await claim(batch, positions: positions, countsBadge: false, context: context)
        return try await endUntried(batch, claimed: claimed, as: state, reason: reason, context: context)
    }

    private func endUntried(
        _ batch: DispatchBatch, claimed: ClaimedBatch, as state: DeliveryState, reason: String,
        context: HandlerContext
    ) async throws -> BatchEnd {
        let decisions = claimed.mine.map { ($0.position, DeliveryDecision.ended(state, status: 0, reason: reason)) }
        return try await end(
            batch, decisions: decisions, claimed: claimed, attempted: context.time.now, context: context)
    }

    /// Devices that ended before are read last: a failure there must not leave claimed and unsent devices behind.
    private func end(
        _ batch: DispatchBatch, decisions: [(position: Int, decision: DeliveryDecision)], claimed: ClaimedBatch,
        attempted: Timestamp, context: HandlerContext
    ) async throws -> BatchEnd {
        var end = try await settle(
            batch, decisions: decisions, claimed: claimed, attempted: attempted, context: context)
        end.add(try await unclaimed(batch, claimed: claimed, context: context))
        return end
    }

    /// Without a cap for devices to which nothing more is sent.
    private func claim(
        _ batch: DispatchBatch, positions: [Int], cap: PushCap? = nil, countsBadge: Bool = true, context: HandlerContext
    ) async throws -> ClaimedBatch {
        let id = ClaimID(owner: owner, number: claims.next())
        let request = ClaimRequest(
            id: id, offsets: positions.map { batch.devices.offsets[$0] }, attempt: batch.chunk.attempt, lease: lease,
            countsBadge: countsBadge && batch.chunk.countsBadge, kind: batch.chunk.timing.claimKind, cap: cap,
            // The ledger's is that of the task's last device, which may begin to live a day later.
            deadline: Timestamp(milliseconds: batch.chunk.deadline))
        var claimed = ClaimedBatch(id: id, leaseEnd: context.time.uptime + lease)
        let verdict = try await ledger.claim(request, of: batch.chunk.task, in: batch.segment)
        guard case .answers(let answers) = verdict else {
            alarm("chunk not sent: no ledger for its task", batch: batch, count: positions.count, context: context)
            return claimed
        }
        var unmarked = 0
        for (position, answer) in zip(positions, answers) {
            switch answer {
            case .claimed(let badge): claimed.mine.append((position, badge ?? 0))
            case .ended(let state): claimed.ended.append((position, state))
            case .held(let rest): claimed.held.append((position, rest))
            case .capped(let end): claimed.capped.append((position, end))
            case .superseded, .reported: break
            case .unmarked: unmarked += 1
            }
        }
        if unmarked > 0 {
            alarm(
                "devices not sent: not marked in the ledger", batch: batch, count: unmarked,
                context: context)
        }
        return claimed
    }

    /// A retry is on the bus before its device is marked as waiting: after a crash in between it finds the claim.
    private func settle(
        _ batch: DispatchBatch, decisions: [(position: Int, decision: DeliveryDecision)], claimed: ClaimedBatch,
        attempted: Timestamp, context: HandlerContext
    ) async throws -> BatchEnd {
        let settlement = batch.settlement(decisions, of: claimed.id, attempted: attempted)
        if !settlement.retries.isEmpty { try await context.producer.send(settlement.retries) }
        let verdict = try await ledger.settle(
            settlement.value, of: batch.chunk.task, in: batch.segment, until: claimed.leaseEnd, context: context)
        guard case .settled(let refused) = verdict else {
            alarm(
                "outcomes lost: the ledger of the task disappeared while sending", batch: batch, count: decisions.count,
                context: context)
            return BatchEnd()
        }
        let lost = decisions.filter { refused.contains(batch.devices.offsets[$0.position]) }
        let regained = try await settleAgain(batch, lost: lost, attempted: attempted, context: context)
        if lost.count > regained.count { meters.refused.increment(by: lost.count - regained.count) }
        var end = BatchEnd()
        end.results = settlement.results.filter { !refused.contains($0.offset) || regained.contains($0.offset) }
        meters.note(end.results)
        return end
    }

    /// Only this process knows the provider's answers. If a claim is lost, as with a store that came back with older
    /// data, and no other sender has the devices, they are claimed again to end as decided. Returns those settled.
    private func settleAgain(
        _ batch: DispatchBatch, lost: [(position: Int, decision: DeliveryDecision)], attempted: Timestamp,
        context: HandlerContext
    ) async throws -> Set<UInt16> {
        guard !lost.isEmpty else { return [] }
        let claimed = try await claim(batch, positions: lost.map(\.position), context: context)
        let mine = Set(claimed.mine.map(\.position))
        guard !mine.isEmpty else { return [] }
        let settlement = batch.settlement(
            lost.filter { mine.contains($0.position) }, of: claimed.id, attempted: attempted)
        let verdict = try await ledger.settle(
            settlement.value, of: batch.chunk.task, in: batch.segment, until: claimed.leaseEnd, context: context)
        guard case .settled(let refused) = verdict else { return [] }
        return Set(mine.map { batch.devices.offsets[$0] }.filter { !refused.contains($0) })
    }

    /// Devices under another claim are ended by that sender. It may have crashed, so a retry checks again when the
    /// lease expires. The retry replaces the chunk, which is acknowledged.
    private func unclaimed(
        _ batch: DispatchBatch, claimed: ClaimedBatch, context: HandlerContext
    ) async throws -> BatchEnd {
        var end = BatchEnd(orders: batch.heldOrders(claimed.held, at: context.time.now))
        if let cap = batch.cap, !claimed.capped.isEmpty {
            let waits = CapWaits(claimed.capped, latest: cap.latest, now: context.time.now)
            try await self.defer(batch, waits: waits, context: context)
            if !waits.ending.isEmpty {
                end.add(
                    try await endUntried(
                        batch, positions: waits.ending, as: .suppressed, reason: OutcomeReason.cap, context: context))
            }
        }
        for (position, state) in claimed.ended {
            end.results.append(try await repeatedResult(batch, position: position, state: state))
        }
        return end
    }

    /// The orders first: a deferred device without one would only end at the deadline.
    private func `defer`(_ batch: DispatchBatch, waits: CapWaits, context: HandlerContext) async throws {
        guard !waits.waiting.isEmpty else { return }
        try await context.producer.send(batch.capOrders(waits.waiting))
        let groups = waits.waiting.map { due, positions in
            Deferral(offsets: positions.map { batch.devices.offsets[$0] }, cause: .cap, due: due)
        }
        let deferred = try await ledger.defer(groups, of: batch.chunk.task, in: batch.segment)
        meters.deferred.increment(by: deferred.count)
    }

    /// Reports a device that ended before as it was, with the reason that the ledger kept for it.
    private func repeatedResult(
        _ batch: DispatchBatch, position: Int, state: DeliveryState
    ) async throws -> DeviceResult {
        let offset = batch.devices.offsets[position]
        let detail = try await ledger.detail(of: offset, task: batch.chunk.task, in: batch.segment)
        return DeviceResult(
            device: batch.devices.id(at: position), provider: batch.route.kind, state: state,
            attempt: detail?.attempt ?? batch.chunk.attempt, status: detail?.status ?? 0, reason: detail?.reason ?? "",
            attempted: detail?.time)
    }

    private func attempt(
        _ batch: DispatchBatch, position: Int, context: HandlerContext, verdict: DeletionBreaker.Verdict = .keep,
        attempted: Timestamp
    ) -> DeliveryAttempt {
        DeliveryAttempt(
            number: batch.chunk.attempt, attempted: attempted,
            // The latest possible time: only the second is known.
            registered: Timestamp(milliseconds: Int64(batch.devices.updated[position]) * 1_000 + 999),
            isStored: batch.content(at: position).variant.expiration > 0, repeatsUnknown: batch.chunk.repeatsUnknown,
            now: context.time.now, deadline: Timestamp(milliseconds: batch.chunk.deadline),
            verdict: verdict)
    }

    /// Deliveries and invalid devices of a part are noted in the breaker before it judges any of them. Returns the order
    /// of a halt, for the devices whose credentials were refused.
    private func note(_ outcomes: [PushOutcome], route: SendingRoute, mayClear: Bool) -> AppHalts.Order? {
        var (delivered, invalid) = (0, 0)
        var mistake: String?
        for case .answered(let answer) in outcomes {
            switch answer.verdict {
            case .delivered: delivered += 1
            case .invalidDevice, .suspectDevice: invalid += 1
            case .misconfigured, .refreshAuthorization: mistake = answer.reason
            case .retryLater, .throttled, .payloadRejected: break
            }
        }
        if delivered + invalid > 0 { breakers.note(route.world, delivered: delivered, invalid: invalid) }
        if delivered > 0, mayClear { halts.clear(route) }
        return mistake.map { halts.halt(route, reason: $0) }
    }

    private func alarm(_ message: String, batch: DispatchBatch, count: Int, context: HandlerContext) {
        meters.unledgered.increment(by: count)
        context.log.error(
            message,
            [
                .task: "\(batch.chunk.task)", .app: batch.chunk.app.text, .segment: "\(batch.segment)",
                .count: "\(count)",
            ])
    }
}

extension PushOutcome {
    fileprivate var saysInvalid: Bool {
        guard case .answered(let answer) = self else { return false }
        switch answer.verdict {
        case .invalidDevice, .suspectDevice: return true
        case .delivered, .retryLater, .throttled, .refreshAuthorization, .misconfigured, .payloadRejected: return false
        }
    }
}

private struct ReportedDevices: Sendable {
    let task: TaskID
    let segment: SegmentID
    let devices: SegmentSet

    static func of(_ results: [DeviceResult], chunk: DispatchChunk) -> [ReportedDevices] {
        Dictionary(grouping: results) { $0.device.index.segment }.map { number, results in
            ReportedDevices(
                task: chunk.task, segment: SegmentID(chunk.app, number: number),
                devices: SegmentSet(results.map(\.offset)))
        }
    }
}

private struct ClaimedBatch {
    let id: ClaimID
    /// As uptime; rather too early than too late.
    let leaseEnd: Duration
    var mine: [(position: Int, badge: UInt32)] = []
    /// To be reported again.
    var ended: [(position: Int, state: DeliveryState)] = []
    var held: [(position: Int, rest: Duration)] = []
    /// With the time of their next push.
    var capped: [(position: Int, end: Timestamp)] = []

    init(id: ClaimID, leaseEnd: Duration) {
        self.id = id
        self.leaseEnd = leaseEnd
    }
}
