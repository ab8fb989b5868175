import PushModel
import RedisClient
import ServiceKit
import Store

extension ScriptConstants {
    static let states = ScriptConstants(prefix: "STATE", of: DeliveryState.self)
    static let ledgerFlags = ScriptConstants(
        RedisLedgerEncoding.Flags.named.map { ("FLAG_" + $0.name, Int64($0.flag.rawValue)) })
    static let providers = ScriptConstants([
        ("PROVIDER_LAST", Int64(PushProtocol.allCases.map(\.rawValue).max() ?? 0))
    ])
    static let claimReplies = ScriptConstants(prefix: "ANSWER", of: ClaimReplyCode.self)
    static let markReplies = ScriptConstants(prefix: "MARK", of: MarkReplyCode.self)
    static let bucketReplies = ScriptConstants(prefix: "BUCKET", of: BucketReplyCode.self)
    static let commitReplies = ScriptConstants(prefix: "COMMIT", of: CommitReplyCode.self)
    static let groupReplies = ScriptConstants(prefix: "GROUP", of: GroupReplyCode.self)
    static let probeReplies = ScriptConstants(prefix: "PROBE", of: ProbeReplyCode.self)
    static let requestReplies = ScriptConstants(prefix: "REQUEST", of: RequestReplyCode.self)
    static let reasonsBounds = ScriptConstants([("REASONS_MAXIMUM", Int64(ReasonCounts.reasonsMaximum))])
    static let records = ScriptConstants([("RECORD_REMOVED", Int64(StoredDevice.removalMark))])
    static let outageBounds = ScriptConstants([
        ("OUTAGE_MEMORY", Int64(ProviderOutageBounds.memory.wholeMilliseconds)),
        ("OUTAGE_PROBE_PAUSE", Int64(ProviderOutageBounds.probePause.wholeMilliseconds)),
        ("OUTAGE_LEVELS", Int64(ProviderOutageBounds.levelMaximum)),
    ])
    static let failingServerBounds = ScriptConstants([
        ("FAILING_SERVERS", Int64(FailingServerBounds.serversMaximum)),
        ("FAILING_SERVER_MEMORY", Int64(FailingServerBounds.memory.wholeMilliseconds)),
    ])
    static let statisticsBounds = ScriptConstants([
        ("STATISTICS_MEMORY", Int64(StatisticsBounds.memory.wholeMilliseconds)),
        ("STATISTICS_VALUES", Int64(StatisticsBounds.valuesMaximum)),
        ("STATISTICS_NAMES", Int64(StatisticsBounds.labelNamesMaximum)),
    ])
    static let startsBounds = ScriptConstants([
        ("STARTS_MEMORY", Int64(MessageStartsBounds.memory.wholeMilliseconds)),
        ("STARTS_MAXIMUM", Int64(MessageStartsBounds.startsMaximum)),
    ])
    static let witnessBounds = ScriptConstants([("WITNESS_WRITERS", Int64(RedisWitness.writersMaximum))])

    static let all = [
        providers,
        states, ledgerFlags, claimReplies, markReplies, bucketReplies, commitReplies, groupReplies, probeReplies,
        requestReplies, records, outageBounds, failingServerBounds, startsBounds,
        statisticsBounds, reasonsBounds, witnessBounds,
    ]
}
