package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisLedger {
    /// Raises the store's format first: a process that does not know deferred devices must not read this ledger.
    package func `defer`(
        _ groups: [Deferral], of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SegmentSet {
        let groups = groups.filter { !$0.offsets.isEmpty }
        guard !groups.isEmpty else { return SegmentSet() }
        let keys = LedgerKeys(task, segment: segment)
        let call = ScriptCall(
            LedgerScripts.defer, keys: [keys.states, keys.deferrals],
            arguments: [now] + groups.flatMap(RedisLedger.arguments))
        let answers = try await redis.run([RedisWitness.raiseFormatOfDeferrals, call])
        return try RedisLedgerReply.set(answers[1])
    }

    package func deferrals(
        of task: TaskID, in segments: [SegmentID]
    ) async throws(StoreError) -> DeferralSummary {
        var summary = DeferralSummary()
        let commands = segments.map {
            RedisCommand("HGET", LedgerKeys(task, segment: $0).deferrals, RedisArgument(LedgerKeys.deferralSumsField))
        }
        for answer in try await redis.send(commands) where !answer.isNull {
            try RedisLedgerReply.add(deferralSums: answer, to: &summary)
        }
        return summary
    }

    private static func arguments(of group: Deferral) -> [RedisArgument] {
        [
            RedisArgument(RedisLedgerEncoding.milliseconds(group.due)), RedisArgument(Int(group.cause.rawValue)),
            RedisArgument(RedisLedgerEncoding.ranges(SegmentSet(group.offsets).offsets)),
        ]
    }
}
