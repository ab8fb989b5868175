package import PushModel
import RedisClient
import ServiceKit
package import Store

/// The task as a whole: its plan, its jobs, its segments and its end.
extension RedisLedger {
    package func plan(_ task: TaskID, _ plan: TaskPlan) async throws(StoreError) -> TaskPlan {
        guard plan.jobs <= TaskPlan.jobsMaximum else {
            throw StoreError(.tooMany, "a task has at most \(TaskPlan.jobsMaximum) jobs, not \(plan.jobs)")
        }
        let keys = LedgerKeys.Whole(task)
        return try RedisLedgerReply.plan(
            await connection.run(
                LedgerScripts.plan, keys: [keys.task, keys.jobs],
                arguments: [RedisArgument(RedisLedgerEncoding.packed(plan)), RedisArgument(plan.jobs)]))
    }

    package func progress(of task: TaskID) async throws(StoreError) -> TaskProgress? {
        let keys = LedgerKeys.Whole(task)
        let answer = try await connection.run(LedgerScripts.progress, keys: keys.all, arguments: [])
        guard let view = try RedisLedgerReply.view(answer) else { return nil }
        return view.progress(with: try await counts(of: view.open, task, view.plan))
    }

    package func resolve(job: Int, of task: TaskID) async throws(StoreError) {
        let keys = LedgerKeys.Whole(task)
        let answer = try await connection.run(
            LedgerScripts.resolve, keys: [keys.task, keys.jobs], arguments: [RedisArgument(job)])
        if let jobs = answer.integer { throw StoreError(.corrupt, "job \(job) of a task that has \(jobs)") }
    }

    package func openSegments(of task: TaskID) async throws(StoreError) -> [SegmentID] {
        let answer = try await connection.run(
            LedgerScripts.progress, keys: LedgerKeys.Whole(task).all, arguments: [])
        guard let view = try RedisLedgerReply.view(answer) else { return [] }
        return view.open.sorted().map { SegmentID(view.plan.app, $0) }
    }

    package func close(_ segments: [SegmentID], of task: TaskID) async throws(StoreError) -> TaskProgress? {
        let keys = LedgerKeys.Whole(task)
        let answer = try await connection.run(LedgerScripts.progress, keys: keys.all, arguments: [])
        guard let view = try RedisLedgerReply.view(answer) else { return nil }
        guard view.closed == nil, view.jobsResolved == view.plan.jobs else {
            return view.progress(with: try await counts(of: view.open, task, view.plan))
        }
        var arguments = [now, RedisArgument(view.plan.retention.wholeMilliseconds)]
        for segment in segments where segment.app == view.plan.app && view.open.contains(segment.number) {
            guard let counts = try await close(segment, of: task, view.plan) else { continue }
            arguments += [RedisArgument(segment.number.description), RedisArgument(counts)]
        }
        let finished = try await connection.run(LedgerScripts.finish, keys: keys.all, arguments: arguments)
        guard let view = try RedisLedgerReply.view(finished) else { return nil }
        return view.progress(with: try await counts(of: view.open, task, view.plan))
    }

    func enter(
        _ segment: SegmentID, of task: TaskID
    ) async throws(StoreError) -> (plan: TaskPlan, isCancelled: Bool)? {
        let keys = LedgerKeys.Whole(task)
        return try RedisLedgerReply.entered(
            await connection.run(
                LedgerScripts.enter, keys: [keys.task, keys.jobs, keys.open],
                arguments: [RedisArgument(segment.number.description), RedisArgument(segment.app.text)]))
    }

    func enterToCancel(
        _ segment: SegmentID, of task: TaskID
    ) async throws(StoreError) -> (plan: TaskPlan, isCancelled: Bool)? {
        let keys = LedgerKeys.Whole(task)
        return try RedisLedgerReply.entered(
            await connection.run(
                LedgerScripts.enterToCancel, keys: [keys.task, keys.jobs, keys.open],
                arguments: [
                    RedisArgument(segment.number.description), RedisArgument(segment.app.text),
                    RedisArgument(TaskPlan.cancellationRetention.wholeMilliseconds),
                ]))
    }

    /// The final counts, as they stand in the ledger; nil while devices are open.
    private func close(
        _ segment: SegmentID, of task: TaskID, _ plan: TaskPlan
    ) async throws(StoreError) -> [UInt8]? {
        let keys = LedgerKeys(task, segment)
        return try await connection.run(
            LedgerScripts.close, keys: [keys.states, keys.details],
            arguments: RedisLedgerEncoding.start(of: plan) + [
                RedisArgument(plan.retention.wholeMilliseconds), RedisArgument(plan.detailRetention.wholeMilliseconds),
            ]
        ).bytes
    }

    /// Of segments that are open, all asked for at once. One without a ledger has nobody yet.
    private func counts(
        of segments: Set<SegmentNumber>, _ task: TaskID, _ plan: TaskPlan
    ) async throws(StoreError) -> StateCounts {
        var sum = StateCounts()
        let commands = segments.map {
            RedisCommand("GETRANGE", LedgerKeys(task, SegmentID(plan.app, $0)).states, 8, 29)
        }
        for answer in try await connection.send(commands) where answer.bytes?.isEmpty == false {
            sum.add(try RedisLedgerReply.counts(answer))
        }
        return sum
    }
}
