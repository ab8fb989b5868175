import PushModel
import Store

/// What a recovery has done.
struct RecoverySummary: Equatable, Sendable {
    /// Tasks that were closed.
    var ended = 0
    /// Tasks that will be resolved as if they had just come.
    var resolvedAgain = 0
    /// Devices of the closed ones whose result was on the bus.
    var proven = 0
    var unknown = 0
    /// Reports of tasks that were closed before, readable again.
    var reports = 0
    /// Messages that no version of the house has written, or one later than this; they are left out.
    var unreadable = 0
    /// Looked at, to show that it goes on.
    var messages = 0

    mutating func add(_ counts: StateCounts) {
        ended += 1
        unknown += counts[.unknown]
        proven += counts.targeted - counts[.unknown]
    }
}
