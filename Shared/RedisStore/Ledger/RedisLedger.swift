package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The ledger in Redis. Every change is one script over the keys of one segment or of one task. Operations on both run
/// the steps in an order that is safe if the process crashes in between.
package struct RedisLedger: Ledger {
    let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all users of a ledger share.
    private let time: (any TimeSource)?
    /// Incremented with every claim; nil for processes that claim no devices.
    private let witness: RedisWitness?
    private let claims = GroupedCalls<ScriptCall, RedisValue>()

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil, witness: RedisWitness? = nil) {
        self.redis = redis
        self.time = time
        self.witness = witness
    }

    /// The first argument of scripts that need the time.
    var now: RedisArgument { time.map { RedisArgument($0.now.milliseconds) } ?? "" }

    package func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> MarkVerdict {
        guard let entered = try await enter(segment, of: task) else { return .missing }
        return try await mark(devices, of: task, in: segment, enteredIn: entered)
    }

    package func mark(
        _ devices: SegmentSet, of task: TaskID, in segment: SegmentID, enteredIn entered: EnteredTask
    ) async throws(StoreError) -> MarkVerdict {
        let keys = LedgerKeys(task, segment: segment)
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.mark, keys: [keys.states, keys.details],
                arguments: RedisLedgerEncoding.start(of: entered.plan) + [
                    entered.isCancelled ? 1 : 0, RedisArgument(RedisLedgerEncoding.ranges(devices.offsets)),
                ]))
        return try RedisLedgerReply.marked(devices, value: answer)
    }

    package func claim(
        _ request: ClaimRequest, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> ClaimVerdict {
        precondition(request.offsets.count <= ClaimRequest.devicesMaximum, "a claim has too many devices")
        let offsets = SegmentSet(request.offsets).offsets
        let keys = LedgerKeys(task, segment: segment)
        let answer = try await runWitnessed(
            ScriptCall(
                LedgerScripts.claim,
                keys: [keys.states, keys.claims, keys.details, keys.deferrals]
                    + RedisLedger.bucketKeys(of: request, offsets: offsets, in: segment),
                arguments: [
                    now, RedisArgument(RedisLedgerEncoding.name(of: request.id)), RedisArgument(Int(request.attempt)),
                    RedisArgument(RedisLedgerEncoding.milliseconds(request.lease)),
                    RedisArgument(RedisLedgerEncoding.ranges(offsets)), RedisArgument(Int(request.kind.rawValue)),
                    request.deadline.map { RedisArgument(RedisLedgerEncoding.milliseconds($0)) } ?? "",
                    RedisArgument(ClaimRequest.undeferredPause.wholeMilliseconds), request.countsBadge ? 1 : 0,
                    request.cap.map { RedisArgument($0.count) } ?? "",
                    request.cap.map { RedisArgument($0.period.wholeMilliseconds) } ?? "",
                ]))
        guard !answer.isNull else { return .missing }
        let answers = try RedisLedgerReply.answers(answer, to: offsets, withBadges: request.countsBadge)
        return .answers(request.offsets.compactMap { answers[$0] })
    }

    private func runWitnessed(_ claim: ScriptCall) async throws(StoreError) -> RedisValue {
        guard let witness else { return try await redis.run(claim) }
        return try await claims.call(claim) { await run($0, witness: witness) }
    }

    /// Sends claims, then the witness increment, in one pipeline, so that the loss of a claim is detected.
    private func run(_ claims: [ScriptCall], witness: RedisWitness) async -> [Result<RedisValue, StoreError>] {
        let raise = witness.nextRaise
        var answers = await redis.runEach(claims + [witness.call(of: raise)])
        do throws(StoreError) {
            try await witness.note(answers.removeLast().get(), of: raise)
            return answers
        } catch {
            return claims.map { _ in .failure(error) }
        }
    }

    package func renew(
        _ claim: ClaimID, for duration: Duration, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> Bool {
        let keys = LedgerKeys(task, segment: segment)
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.renew, keys: [keys.states, keys.claims],
                arguments: [
                    now, RedisArgument(RedisLedgerEncoding.name(of: claim)),
                    RedisArgument(RedisLedgerEncoding.milliseconds(duration)),
                ]))
        return answer == .integer(1)
    }

    package func settle(
        _ settlement: Settlement, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SettleVerdict {
        let keys = LedgerKeys(task, segment: segment)
        let groups = settlement.groups.filter { !$0.offsets.isEmpty }
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.settle, keys: [keys.states, keys.claims, keys.details],
                arguments: [
                    now, RedisArgument(RedisLedgerEncoding.name(of: settlement.claim)),
                    settlement.attempted.map { RedisArgument($0.milliseconds) } ?? "",
                ]
                    + groups.flatMap(RedisLedger.arguments)))
        switch answer {
        case .null: return .missing
        case .integer: return .settled(refused: SegmentSet(groups.flatMap(\.offsets)))
        default: return .settled(refused: try RedisLedgerReply.set(answer))
        }
    }

    package func noteReported(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError) {
        guard !devices.isEmpty else { return }
        let keys = LedgerKeys(task, segment: segment)
        _ = try await redis.run(
            ScriptCall(
                LedgerScripts.noteReported, keys: [keys.states, keys.details],
                arguments: [RedisArgument(RedisLedgerEncoding.ranges(devices.offsets))]))
    }

    package func unreported(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> [TaskOutcomes.Device] {
        let keys = LedgerKeys(task, segment: segment)
        let answers = try await redis.send([
            RedisCommand("GET", keys.states), RedisCommand("HGETALL", keys.details),
        ])
        guard answers.count == 2, !answers[0].isNull else { return [] }
        return try RedisLedgerReply.unreported(answers[0], details: answers[1], in: segment.number)
    }

    package func states(of task: TaskID, in segment: SegmentID) async throws(StoreError) -> LedgerSnapshot? {
        try RedisLedgerReply.snapshot(
            await redis.send(RedisCommand("GET", LedgerKeys(task, segment: segment).states)))
    }

    package func detail(
        of offset: UInt16, task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> OutcomeDetail? {
        let keys = LedgerKeys(task, segment: segment)
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.readDetail, keys: [keys.states, keys.details, keys.deferrals],
                arguments: [RedisArgument(Int(offset))]))
        return try RedisLedgerReply.detail(answer, of: offset)
    }

    package func cancel(_ task: TaskID, in segment: SegmentID) async throws(StoreError) -> SegmentSet {
        // Cancels the task first: a segment marked in between is cancelled by that mark or by the next line.
        guard let entered = try await enterToCancel(segment, of: task) else { return SegmentSet() }
        let keys = LedgerKeys(task, segment: segment)
        return try RedisLedgerReply.set(
            await redis.run(
                ScriptCall(
                    LedgerScripts.cancel, keys: [keys.states, keys.deferrals],
                    arguments: RedisLedgerEncoding.start(of: entered.plan))))
    }

    package func expire(
        _ task: TaskID, in segment: SegmentID, untried: DeliveryState
    ) async throws(StoreError) -> [DeliveryState: SegmentSet] {
        let keys = LedgerKeys(task, segment: segment)
        return try RedisLedgerReply.expired(
            await redis.run(
                ScriptCall(
                    LedgerScripts.expire, keys: [keys.states, keys.claims, keys.deferrals],
                    arguments: [now, RedisArgument(Int(untried.rawValue))])))
    }

    private static func bucketKeys(
        of request: ClaimRequest, offsets: [UInt16], in segment: SegmentID
    ) -> [RedisArgument] {
        guard request.countsBadge || request.cap != nil else { return [] }
        let keys = SegmentKeys(segment)
        var buckets: [Int] = []
        for bucket in offsets.map(SegmentKeys.bucket) where buckets.last != bucket { buckets.append(bucket) }
        return buckets.flatMap { bucket in
            (request.countsBadge ? [keys.badges(bucket)] : []) + (request.cap == nil ? [] : [keys.pushes(bucket)])
        }
    }

    private static func arguments(of group: Settlement.Group) -> [RedisArgument] {
        precondition(group.state.isTerminal || group.state == .waiting, "a claim cannot be settled as \(group.state)")
        return [
            RedisArgument(Int(group.state.rawValue)), RedisArgument(Int(group.attempt)),
            RedisArgument(Int(group.status)), RedisArgument(RedisLedgerEncoding.reasonAndDue(of: group)),
            RedisArgument(RedisLedgerEncoding.ranges(SegmentSet(group.offsets).offsets)),
            RedisArgument(Int(group.provider?.rawValue ?? 0)),
        ]
    }
}
