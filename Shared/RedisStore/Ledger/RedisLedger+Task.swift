package import PushModel
import RedisClient
import ServiceKit
package import Store

/// Operations on the whole task: its plan, jobs, segments, cancellation and closing.
extension RedisLedger {
    package func plan(_ task: TaskID, as plan: TaskPlan) async throws(StoreError) -> TaskPlan {
        guard plan.jobs <= TaskPlan.jobsMaximum else {
            throw StoreError(
                .tooMany, message: "the task has \(plan.jobs) jobs; the maximum is \(TaskPlan.jobsMaximum)")
        }
        let keys = LedgerKeys.Whole(task)
        return try RedisLedgerReply.plan(
            await redis.run(
                ScriptCall(
                    LedgerScripts.plan, keys: [keys.task, keys.jobs],
                    arguments: [RedisArgument(RedisLedgerEncoding.packed(plan)), RedisArgument(plan.jobs)])))
    }

    package func begin(
        _ task: TaskID, plan: TaskPlan, devices: [UInt8], unmatched: Int, in segments: [SegmentNumber]
    ) async throws(StoreError) -> TaskBeginning {
        precondition(plan.jobs == 1, "a small task has exactly one job")
        let keys = LedgerKeys.Whole(task)
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.begin, keys: [keys.task, keys.open],
                arguments: [
                    RedisArgument(RedisLedgerEncoding.packed(plan)), RedisArgument(devices), RedisArgument(unmatched),
                ] + segments.map { RedisArgument($0.description) }))
        guard case .integer(let isCancelled) = answer else { return .planned(try RedisLedgerReply.plan(answer)) }
        return .begun(EnteredTask(plan: plan, isCancelled: isCancelled == 1))
    }

    package func decidedDevices(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await redis.send(RedisCommand("HGET", LedgerKeys.Whole(task).task, "meant")).bytes
    }

    package func progress(of task: TaskID) async throws(StoreError) -> TaskProgress? {
        guard let view = try await view(of: task) else { return nil }
        return view.progress(with: try await counts(of: view.open, task: task, plan: view.plan))
    }

    package func isCancelled(_ task: TaskID) async throws(StoreError) -> Bool {
        try await redis.send(RedisCommand("HEXISTS", LedgerKeys.Whole(task).task, "cancelled")) == .integer(1)
    }

    package func resolve(job: Int, unmatched: Int, of task: TaskID) async throws(StoreError) {
        let keys = LedgerKeys.Whole(task)
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.resolve, keys: [keys.task, keys.jobs],
                arguments: [RedisArgument(job), RedisArgument(unmatched)]))
        if let jobs = answer.integer {
            throw StoreError(.corrupt, message: "job \(job) is not one of the task's \(jobs) jobs")
        }
    }

    package func isResolved(job: Int, of task: TaskID) async throws(StoreError) -> Bool? {
        let keys = LedgerKeys.Whole(task)
        let answer = try await redis.run(
            ScriptCall(LedgerScripts.isResolved, keys: [keys.task, keys.jobs], arguments: [RedisArgument(job)]))
        return answer.isNull ? nil : answer == .integer(1)
    }

    package func openSegments(of task: TaskID) async throws(StoreError) -> [SegmentID] {
        guard let view = try await view(of: task) else { return [] }
        return view.open.sorted().map { SegmentID(view.plan.app, number: $0) }
    }

    package func close(_ segments: [SegmentID], of task: TaskID) async throws(StoreError) -> TaskProgress? {
        guard let progress = try await progress(of: task) else { return nil }
        let open = Set(progress.openSegments)
        return try await close(segments.filter(open.contains), of: task, after: progress)?.progress
    }

    package func close(_ task: TaskID, after progress: TaskProgress) async throws(StoreError) -> TaskProgress? {
        try await close(progress.openSegments, of: task, after: progress)?.progress
    }

    package func closeWithOutcomes(
        _ task: TaskID, after progress: TaskProgress
    ) async throws(StoreError) -> ClosedTask? {
        try await close(progress.openSegments, of: task, after: progress, withOutcomes: progress.plan.isFast)
    }

    /// Resolved jobs stay resolved, so that the progress need not be that of this moment.
    private func close(
        _ open: [SegmentID], of task: TaskID, after progress: TaskProgress, withOutcomes: Bool = false
    ) async throws(StoreError) -> ClosedTask? {
        guard progress.closed == nil, progress.hasResolvedAllJobs else { return ClosedTask(progress) }
        let (keys, plan) = (LedgerKeys.Whole(task), progress.plan)
        var arguments = [now, RedisArgument(TaskPlan.closedRetention.wholeMilliseconds), plan.isFast ? "1" : "0"]
        let replies = try await redis.run(open.map { closing($0, of: task, plan: plan, withOutcomes: withOutcomes) })
        var ends: [SegmentEnd] = []
        for (segment, reply) in zip(open, replies) {
            guard let end = SegmentEnd(reply, of: segment) else { continue }
            arguments += end.arguments
            ends.append(end)
        }
        let finished = try await redis.run(ScriptCall(LedgerScripts.finish, keys: keys.all, arguments: arguments))
        guard let view = try RedisLedgerReply.view(finished) else { return nil }
        let current = view.progress(with: try await counts(of: view.open, task: task, plan: view.plan))
        return ClosedTask(current, outcomes: try withOutcomes ? SegmentEnd.outcomes(ends, of: current) : nil)
    }

    package func outcomes(of task: TaskID) async throws(StoreError) -> TaskOutcomes? {
        guard let (plan, segments) = try await closedForFew(task) else { return nil }
        let commands = segments.flatMap { segment in
            let keys = LedgerKeys(task, segment: segment)
            return [RedisCommand("GET", keys.states), RedisCommand("HGETALL", keys.details)]
        }
        let answers = try await redis.send(commands)
        var devices: [TaskOutcomes.Device] = []
        for (number, segment) in segments.enumerated() {
            let (states, details) = (answers[2 * number], answers[2 * number + 1])
            guard !states.isNull else { return nil }
            devices += try RedisLedgerReply.outcomes(states, details: details, in: segment.number)
        }
        return TaskOutcomes(plan: plan, devices: devices)
    }

    /// The task's own key comes last, because it leads to the others.
    package func release(_ task: TaskID) async throws(StoreError) {
        guard let (plan, segments) = try await closedForFew(task) else { return }
        let life = RedisArgument(TaskPlan.retention(isFast: plan.isFast).wholeMilliseconds)
        let keys = segments.map { LedgerKeys(task, segment: $0) }.flatMap { [$0.states, $0.details] }
        _ = try await redis.send(
            (keys + [LedgerKeys.Whole(task).task]).map { RedisCommand("PEXPIRE", $0, life) })
    }

    package func release(_ task: TaskID, closedWith outcomes: TaskOutcomes) async throws(StoreError) {
        let life = RedisArgument(TaskPlan.retention(isFast: true).wholeMilliseconds)
        let segments = outcomes.devices.groups { $0.index.segment }
        let keys = segments.flatMap { devices -> [RedisArgument] in
            let keys = LedgerKeys(task, segment: SegmentID(outcomes.plan.app, number: devices[0].index.segment))
            // The detail of a ledger's only device is in the ledger.
            return devices.count == 1 ? [keys.states] : [keys.states, keys.details]
        }
        _ = try await redis.send(
            (keys + [LedgerKeys.Whole(task).task]).map { RedisCommand("PEXPIRE", $0, life) })
    }

    /// The plan and the segments of a small task; only its hash has a `segments` field.
    private func closedForFew(_ task: TaskID) async throws(StoreError) -> (plan: TaskPlan, segments: [SegmentID])? {
        let fields = try await redis.send(RedisCommand("HMGET", LedgerKeys.Whole(task).task, "plan", "segments"))
        guard let parts = fields.array, parts.count == 2, let list = parts[1].string else { return nil }
        let plan = try RedisLedgerReply.plan(parts[0])
        let segments = list.split(separator: ",").compactMap { UInt32($0) }.sorted()
            .map { SegmentID(plan.app, number: SegmentNumber(rawValue: $0)) }
        return (plan, segments)
    }

    /// Not a script, which would cost three times as much. If the task changes in between, what is read is as if some of
    /// its parts were read earlier: segments come first, and whether the task is closed last.
    private func view(of task: TaskID) async throws(StoreError) -> RedisLedgerView? {
        let keys = LedgerKeys.Whole(task)
        return try RedisLedgerReply.view(
            await redis.send([
                RedisCommand("SMEMBERS", keys.open), RedisCommand("HGETALL", keys.sums),
                RedisCommand(["HMGET", keys.task] + RedisLedgerView.fields),
            ]))
    }

    func enter(
        _ segment: SegmentID, of task: TaskID
    ) async throws(StoreError) -> EnteredTask? {
        try await enter(segment, of: task, script: LedgerScripts.enter)
    }

    func enterToCancel(
        _ segment: SegmentID, of task: TaskID
    ) async throws(StoreError) -> EnteredTask? {
        let life = RedisArgument(TaskPlan.cancellationRetention.wholeMilliseconds)
        return try await enter(segment, of: task, script: LedgerScripts.enterToCancel, arguments: [life])
    }

    private func enter(
        _ segment: SegmentID, of task: TaskID, script: RedisScript, arguments: [RedisArgument] = []
    ) async throws(StoreError) -> EnteredTask? {
        let keys = LedgerKeys.Whole(task)
        let place = [RedisArgument(segment.number.description), RedisArgument(segment.app.text)]
        return try RedisLedgerReply.entered(
            await redis.run(
                ScriptCall(script, keys: [keys.task, keys.jobs, keys.open], arguments: place + arguments)))
    }

    private func closing(
        _ segment: SegmentID, of task: TaskID, plan: TaskPlan, withOutcomes: Bool
    ) -> ScriptCall {
        let keys = LedgerKeys(task, segment: segment)
        let lives = [TaskPlan.closedRetention, TaskPlan.detailRetention].map { RedisArgument($0.wholeMilliseconds) }
        return ScriptCall(
            LedgerScripts.close, keys: [keys.states, keys.details],
            arguments: RedisLedgerEncoding.start(of: plan) + lives + [withOutcomes ? 1 : 0])
    }

    /// Counts of open segments, read in one pipeline. A segment without a ledger has no devices yet.
    private func counts(
        of segments: Set<SegmentNumber>, task: TaskID, plan: TaskPlan
    ) async throws(StoreError) -> StateCounts {
        var sum = StateCounts()
        let commands = segments.map {
            RedisCommand(
                "GETRANGE", LedgerKeys(task, segment: SegmentID(plan.app, number: $0)).states, 0,
                RedisArgument(RedisLedgerEncoding.headerBytesMaximum - 1))
        }
        for answer in try await redis.send(commands) where answer.bytes?.isEmpty == false {
            sum.add(try RedisLedgerReply.header(answer))
        }
        return sum
    }
}
