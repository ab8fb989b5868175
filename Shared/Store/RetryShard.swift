package import PushModel

/// An independently served part of the index: the fast lane never waits for the bulk lane, and on a cluster the parts
/// are on different servers.
package struct RetryShard: Hashable, Sendable, CustomStringConvertible {
    /// Per lane. Entries of a higher shard would never be read, so the count may grow but not shrink.
    package static let count = 4

    package let isFast: Bool
    package let number: Int

    package init(isFast: Bool, number: Int) {
        precondition((0..<RetryShard.count).contains(number), "invalid shard \(number)")
        self.isFast = isFast
        self.number = number
    }

    /// The shard of a task and segment's orders: always the same, or a repeated order would become a second entry.
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
