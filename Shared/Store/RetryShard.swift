package import PushModel

/// A part of the index that is served by itself: the fast lane never waits for the bulk lane, and on a cluster the parts
/// lie on different servers.
package struct RetryShard: Hashable, Sendable, CustomStringConvertible {
    /// Of each lane. Entries of a shard beyond it would never be looked at, so it may grow and not shrink.
    package static let count = 4

    package let isFast: Bool
    package let number: Int

    package init(isFast: Bool, number: Int) {
        precondition((0..<RetryShard.count).contains(number), "there is no shard \(number)")
        self.isFast = isFast
        self.number = number
    }

    /// Where the orders of a task and segment belong: always the same, lest a repeated order became a second entry.
    package init(isFast: Bool, task: TaskID, segment: SegmentNumber) {
        let spread = task.low &+ UInt64(segment.rawValue)
        self.init(isFast: isFast, number: Int(spread % UInt64(RetryShard.count)))
    }

    /// The fast lane first.
    package static let all = [true, false].flatMap { isFast in
        (0..<count).map { RetryShard(isFast: isFast, number: $0) }
    }

    package var laneName: String { isFast ? "fast" : "bulk" }
    package var description: String { "\(laneName):\(number)" }
}
