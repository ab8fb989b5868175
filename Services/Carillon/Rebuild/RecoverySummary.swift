import PushModel
import Store

/// Counts of a recovery.
struct RecoverySummary: Equatable, Sendable {
    /// Tasks that the recovery closed.
    var ended = 0
    /// Tasks that will be resolved as if newly accepted.
    var resolvedAgain = 0
    /// Devices of the closed tasks whose result was on the bus.
    var proven = 0
    var unknown = 0
    /// Restored reports of tasks that were closed before.
    var reports = 0
    /// Reports that were added to the statistics.
    var counted = 0
    /// Receipts that were counted.
    var receipts = 0
    /// Restored tasks that wait for their time.
    var scheduled = 0
    /// Messages in no known format, or in that of a later version; they are skipped.
    var unreadable = 0
    /// Messages read, for progress.
    var messages = 0

    private static let noteEvery = 5_000

    /// Counts a message that was read.
    mutating func count(_ note: (RecoverySummary) -> Void) {
        messages += 1
        if messages % RecoverySummary.noteEvery == 0 { note(self) }
    }

    mutating func add(_ counts: StateCounts) {
        ended += 1
        unknown += counts[.unknown]
        proven += counts.targeted - counts[.unknown]
    }
}
