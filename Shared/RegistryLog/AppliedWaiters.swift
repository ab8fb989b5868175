import PushModel

/// Waiters for the projection to apply appended changes, by segment.
///
/// Decides only; the owner queries the projection and resumes.
struct AppliedWaiters<Continuation: Sendable>: Sendable {
    struct Waiter: Sendable {
        /// The offset after the last record of the change.
        let target: Int64
        let deadline: Duration
        let continuation: Continuation
    }

    private var waiters: [SegmentID: [Waiter]] = [:]

    var isEmpty: Bool { waiters.isEmpty }
    var segments: [SegmentID] { Array(waiters.keys) }

    mutating func add(_ waiter: Waiter, for segment: SegmentID) {
        waiters[segment, default: []].append(waiter)
    }

    /// Removes and returns the waiters whose records are applied at these offsets of the segments.
    mutating func takeReached(_ segments: [SegmentID], at offsets: [Int64]) -> [Waiter] {
        zip(segments, offsets).flatMap { segment, offset in take(of: segment) { $0.target <= offset } }
    }

    mutating func takeOverdue(at now: Duration) -> [Waiter] {
        segments.flatMap { take(of: $0) { $0.deadline <= now } }
    }

    mutating func takeAll() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.values.flatMap { $0 }
    }

    private mutating func take(of segment: SegmentID, where isDue: (Waiter) -> Bool) -> [Waiter] {
        guard let present = waiters[segment] else { return [] }
        let rest = present.filter { !isDue($0) }
        waiters[segment] = rest.isEmpty ? nil : rest
        return present.filter(isDue)
    }
}
