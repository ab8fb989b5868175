import PushModel
import ServiceKit
import TaskKit

/// What becomes of devices that have got as many pushes as their cap allows.
struct CapWaits: Sendable {
    /// Positions by the time until which they wait, the earliest first.
    let waiting: [(due: Timestamp, positions: [Int])]
    /// Positions of those that may not wait as long.
    let ending: [Int]

    /// `latest` is the latest time until which a device may wait, in milliseconds since 1970; nil if none may.
    init(_ capped: [(position: Int, end: Timestamp)], latest: Int64?, now: Timestamp) {
        let latest = latest.map { Timestamp(milliseconds: $0) }
        var waiting: [Timestamp: [Int]] = [:]
        var ending: [Int] = []
        for (position, end) in capped {
            // The store's clock may be behind; a release that comes too early would be repeated at once.
            let due = DeferralCause.cap.rounded(max(end, now + .seconds(1)))
            if let latest, due <= latest {
                waiting[due, default: []].append(position)
            } else {
                ending.append(position)
            }
        }
        self.waiting = waiting.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.ending = ending
    }
}
