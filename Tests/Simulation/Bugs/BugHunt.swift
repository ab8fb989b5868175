import HistoryJudge

/// Whether histories find a planted mistake.
struct BugHunt {
    struct Catch: Sendable {
        let history: History
        let violation: Violation
    }

    /// A mistake that this many histories do not find counts as missed.
    static let seedsMaximum = 500

    /// Nil if none of the histories that begin with the seed finds it.
    static func firstCatch(
        of bug: PlantedBug, from seed: UInt64 = 1, histories: Int = seedsMaximum, minutes: Int = History.minutes
    ) -> Catch? {
        for seed in seed..<(seed + UInt64(histories)) {
            let history = History(seed: seed, minutes: minutes)
            if let violation = HistoryRun(history, bug: bug).violations().first {
                return Catch(history: history, violation: violation)
            }
        }
        return nil
    }
}
