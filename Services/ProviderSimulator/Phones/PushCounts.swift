import ServiceKit

/// Counts of the pushes that reached an activity, or a phone without starting one.
struct PushCounts: Sendable, Equatable {
    var received: UInt32 = 0
    var applied: UInt32 = 0
    /// With a lower timestamp than the state shown.
    var overtaken: UInt32 = 0
    /// With the timestamp of the state shown.
    var equal: UInt32 = 0
    var malformed: UInt32 = 0
    var afterEnd: UInt32 = 0
    var alerts: UInt32 = 0
    /// That arrived after a push with a higher timestamp.
    var arrivedOlder: UInt32 = 0
    /// Starts without an id by which the phone could report the activity.
    var unidentified: UInt32 = 0
    /// Starts on a channel, on a system without channels.
    var unsupported: UInt32 = 0
    var starts: UInt32 = 0
    /// The largest number of pushes in one second of the wall clock; not a sum.
    private(set) var worstSecond: UInt32 = 0
    private var second: Int64 = .min
    private var inSecond: UInt32 = 0

    mutating func countArrival(at now: Timestamp) {
        received += 1
        let current = now.milliseconds / 1_000
        if current != second { (second, inSecond) = (current, 0) }
        inSecond += 1
        worstSecond = max(worstSecond, inSecond)
    }

    /// Adds counts of other pushes. The second with the most pushes is the worse of both.
    mutating func add(_ other: PushCounts) {
        for count in PushCounts.sums { self[keyPath: count.path] += other[keyPath: count.path] }
        worstSecond = max(worstSecond, other.worstSecond)
    }

    /// The counts that are summed up, with their names in the admin API.
    static var sums: [(name: String, path: WritableKeyPath<PushCounts, UInt32>)] {
        [
            ("received", \.received), ("applied", \.applied), ("overtaken", \.overtaken), ("equal", \.equal),
            ("malformed", \.malformed), ("after_end", \.afterEnd), ("alerts", \.alerts),
            ("arrived_older", \.arrivedOlder), ("unidentified", \.unidentified), ("unsupported", \.unsupported),
            ("starts", \.starts),
        ]
    }
}
