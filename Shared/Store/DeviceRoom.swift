/// Decides which new devices fit below an app's maximum in one process.
///
/// The store counts the devices; this adds the registrations in progress, which its count may not contain yet. So one
/// process never exceeds the maximum, and several exceed it at most by their registrations in progress.
///
/// Far from the maximum one count serves many registrations. Decides only; the owner counts and wakes the waiters.
package struct DeviceRoom<Waiter: Sendable>: Sendable {
    /// A new device that waits for the decision.
    package struct Candidate: Sendable {
        package let waiter: Waiter
        package let maximum: Int
    }

    package struct Verdicts: Sendable {
        package var admitted: [Waiter] = []
        package var refused: [Waiter] = []
        /// True if the owner must count again now.
        package var mustCount = false
    }

    private struct Count {
        let devices: Int
        let taken: Duration
        /// `ended` when the counting began: these registrations are contained in it.
        let ended: Int
    }

    /// Other processes may use up the room in the meantime, so a count does not serve longer.
    static var countLifetime: Duration { .seconds(1) }
    /// The part of the room that a process uses before it counts again.
    static var shareOfRoom: Int { 64 }

    /// Admitted registrations so far, without those that turned out to be of known tokens.
    private var admitted = 0
    /// Those of them that have ended.
    private var ended = 0
    private var latest: Count?
    private var candidates: [Candidate] = []
    /// Set while the owner counts: the number of candidates that the count decides, and `ended` at its begin.
    private var counting: (candidates: Int, ended: Int)?

    package init() {}

    /// Admits a registration without a count of its own, if the latest one leaves far more room. Its token need not be
    /// new.
    package mutating func admitByLatestCount(maximum: Int, at now: Duration) -> Bool {
        guard let latest, now - latest.taken < DeviceRoom.countLifetime, candidates.isEmpty else { return false }
        let added = admitted - latest.ended
        guard added < (maximum - latest.devices) / DeviceRoom.shareOfRoom else { return false }
        admitted += 1
        return true
    }

    /// Adds a new device. True if the owner must count.
    package mutating func add(_ waiter: Waiter, maximum: Int) -> Bool {
        candidates.append(Candidate(waiter: waiter, maximum: maximum))
        return beginCount()
    }

    /// `isNew` is false if the registration was of a known token. True if the owner must count.
    package mutating func end(isNew: Bool) -> Bool {
        if isNew { ended += 1 } else { admitted -= 1 }
        return candidates.isEmpty ? false : beginCount()
    }

    /// The devices that the owner has counted.
    package mutating func counted(_ devices: Int, at now: Duration) -> Verdicts {
        guard let counting else { preconditionFailure("a count ends once") }
        self.counting = nil
        latest = Count(devices: devices, taken: now, ended: counting.ended)
        var verdicts = Verdicts()
        var undecided: [Candidate] = []
        for candidate in candidates.prefix(counting.candidates) {
            if devices >= candidate.maximum {
                verdicts.refused.append(candidate.waiter)
            } else if devices + admitted - counting.ended < candidate.maximum {
                admitted += 1
                verdicts.admitted.append(candidate.waiter)
            } else {
                undecided.append(candidate)
            }
        }
        // The undecided wait for the next registration that ends, unless one has ended during the count.
        let mustCount = ended != counting.ended || candidates.count > counting.candidates
        candidates = undecided + candidates.dropFirst(counting.candidates)
        verdicts.mustCount = mustCount && beginCount()
        return verdicts
    }

    /// The devices could not be counted: returns the waiters of the count.
    package mutating func countFailed() -> (failed: [Waiter], mustCount: Bool) {
        guard let counting else { preconditionFailure("a count ends once") }
        self.counting = nil
        let failed = candidates.prefix(counting.candidates).map(\.waiter)
        candidates.removeFirst(counting.candidates)
        return (failed, beginCount())
    }

    private mutating func beginCount() -> Bool {
        guard counting == nil, !candidates.isEmpty else { return false }
        counting = (candidates.count, ended)
        return true
    }
}
