import ServiceKit

/// Counts of the pushes that reached an activity, or a phone without starting one.
struct PushCounts: Sendable, Equatable {
    enum Name: Int, CaseIterable, Sendable {
        case received
        case applied
        /// With a lower timestamp than the state shown.
        case overtaken
        /// With the timestamp of the state shown.
        case equal
        case malformed
        case afterEnd
        case alerts
        /// That arrived after a push with a higher timestamp.
        case arrivedOlder
        /// Starts without an id by which the phone could report the activity.
        case unidentified
        /// Starts on a channel, on a system without channels.
        case unsupported
        case starts

        /// In the admin API.
        var text: String {
            switch self {
            case .received: "received"
            case .applied: "applied"
            case .overtaken: "overtaken"
            case .equal: "equal"
            case .malformed: "malformed"
            case .afterEnd: "after_end"
            case .alerts: "alerts"
            case .arrivedOlder: "arrived_older"
            case .unidentified: "unidentified"
            case .unsupported: "unsupported"
            case .starts: "starts"
            }
        }
    }

    /// By the number of the name.
    private var counts = SIMD16<UInt32>()
    /// The largest number of pushes in one second of the wall clock.
    private(set) var worstSecond: UInt32 = 0
    private var second: Int64 = .min
    private var inSecond: UInt32 = 0

    subscript(name: Name) -> Int { Int(counts[name.rawValue]) }

    mutating func count(_ name: Name) {
        counts[name.rawValue] &+= 1
    }

    mutating func countArrival(at now: Timestamp) {
        count(.received)
        let current = now.milliseconds / 1_000
        if current != second { (second, inSecond) = (current, 0) }
        inSecond += 1
        worstSecond = max(worstSecond, inSecond)
    }

    /// Adds the counts of other pushes. The worst second is the worse of both.
    mutating func add(_ other: PushCounts) {
        counts &+= other.counts
        worstSecond = max(worstSecond, other.worstSecond)
    }

    /// Keeps the larger of both, count by count.
    mutating func keepMaxima(with other: PushCounts) {
        counts = pointwiseMax(counts, other.counts)
        worstSecond = max(worstSecond, other.worstSecond)
    }

    func describe(in json: inout JSONText) {
        for name in Name.allCases { json.member(name.text, self[name]) }
    }

    func describeWorstSecond(in json: inout JSONText) {
        json.member("worst_second", Int(worstSecond))
    }
}
