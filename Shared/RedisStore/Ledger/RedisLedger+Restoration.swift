package import PushModel
import RedisClient
package import Store

extension RedisLedger: LedgerRestoration {
    package func beginRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError) -> Bool {
        let keys = LedgerKeys.Whole(task)
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.beginRestoring, keys: [keys.task],
                arguments: [RedisArgument(RedisLedgerEncoding.packed(plan))]))
        return answer == .integer(1)
    }

    /// Enters the segment in the task first, so that no crash can hide a segment.
    package func restore(
        _ devices: SegmentSet, as state: DeliveryState, of task: TaskID, in segment: SegmentID, plan: TaskPlan
    ) async throws(StoreError) -> SegmentSet? {
        precondition(state.isTerminal, "a device cannot be restored as \(state); the state must be terminal")
        let whole = LedgerKeys.Whole(task)
        let entered = try await redis.run(
            ScriptCall(
                LedgerScripts.enterToRestore, keys: [whole.task, whole.open],
                arguments: [RedisArgument(segment.number.description)]))
        guard entered == .integer(1) else { return nil }
        let answer = try await redis.run(
            ScriptCall(
                LedgerScripts.restore, keys: [LedgerKeys(task, segment: segment).states],
                arguments: RedisLedgerEncoding.start(of: plan) + [
                    RedisArgument(Int(state.rawValue)), RedisArgument(RedisLedgerEncoding.ranges(devices.offsets)),
                ]))
        return try RedisLedgerReply.set(answer)
    }

    package func endRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError) {
        _ = try await redis.run(
            ScriptCall(
                LedgerScripts.endRestoring, keys: [LedgerKeys.Whole(task).task],
                arguments: [RedisArgument(RedisLedgerEncoding.packed(plan))]))
    }
}
