import RedisClient

/// The steps of the ledger that must be atomic. A step of a segment touches only keys of that segment, a step of a task
/// only keys of that task. `Ledger/ledger.lua` describes the form of a ledger; sets of offsets are sent as ranges.
///
/// A Redis at its `maxmemory` refuses plans, segments and marks, with which tasks begin. Steps that complete tasks have
/// `flags=allow-oom`, since they free memory.
enum LedgerScripts {
    static let mark = RedisScript(
        PackageResources.mark_lua, using: .states, .ledgerFlags, .markReplies, .ranges, .ledger, .window, .whole,
        .providerNumbers, .providers)
    static let claim = RedisScript(
        PackageResources.claim_lua, using: .clock, .states, .ledgerFlags, .claimReplies, .ranges, .ledger, .window,
        .claims, .firstClaim, .reported, .badges, .caps, .contest, .deferrals)
    static let `defer` = RedisScript(
        PackageResources.defer_lua, using: .clock, .states, .ledgerFlags, .ranges, .ledger, .window, .whole, .deferrals)
    static let renew = RedisScript(PackageResources.renew_claim_lua, using: .clock)
    static let settle = RedisScript(
        PackageResources.settle_lua, using: .clock, .states, .ledgerFlags, .ranges, .ledger, .window, .claims,
        .providerNumbers, .providers)
    static let noteReported = RedisScript(
        PackageResources.note_reported_lua, using: .states, .ledgerFlags, .ranges, .ledger, .window, .reported)
    static let readDetail = RedisScript(PackageResources.read_detail_lua)
    static let cancel = RedisScript(
        PackageResources.cancel_lua, using: .states, .ledgerFlags, .ranges, .ledger, .window)
    static let expire = RedisScript(
        PackageResources.expire_lua, using: .clock, .states, .ledgerFlags, .ranges, .ledger, .window, .claims)
    static let close = RedisScript(
        PackageResources.close_ledger_lua, using: .states, .ledgerFlags, .ranges, .ledger, .window, .providerNumbers,
        .providers, .reasonsBounds, .reasons, .ledgerReasons)

    static let plan = RedisScript(PackageResources.plan_task_lua)
    static let begin = RedisScript(PackageResources.begin_task_lua)
    static let resolve = RedisScript(PackageResources.resolve_job_lua)
    static let isResolved = RedisScript(PackageResources.is_resolved_lua)
    static let enter = RedisScript(PackageResources.enter_task_lua, using: .taskEntry)
    static let enterToCancel = RedisScript(PackageResources.enter_to_cancel_lua, using: .taskEntry)
    static let finish = RedisScript(
        PackageResources.finish_task_lua, using: .clock, .states, .closeAtOnce, .taskView, .reasonsBounds, .reasons)

    static let beginRestoring = RedisScript(PackageResources.begin_restoring_lua)
    static let enterToRestore = RedisScript(PackageResources.enter_to_restore_lua)
    static let restore = RedisScript(
        PackageResources.restore_lua, using: .states, .ledgerFlags, .ranges, .ledger, .window, .whole)
    static let endRestoring = RedisScript(PackageResources.end_restoring_lua)
}
