import Store

/// What a Redis at its `maxmemory` refuses of what processes call: scripts without `allow-oom`, and commands that may
/// make it grow. All else works, so that what is under way can end.
enum MemoryBound {
    static let error = StoreError(.full, message: "OOM command not allowed when used memory > 'maxmemory'.")

    private static let refused: Set<String> = [
        "ledger.plan", "ledger.begin", "ledger.mark", "archive.keep", "archive.keepContents", "archive.schedule",
        "archive.reschedule", "archive.decideDevices", "archive.giveUp", "traces.keep", "deviceTasks.enter",
        "statistics.fold", "keys.begin", "replacements.stage", "replacements.enter", "registry.reserve",
        "registry.update",
    ]

    static func refuses(_ effect: StaticString) -> Bool { refused.contains(effect.description) }
}
