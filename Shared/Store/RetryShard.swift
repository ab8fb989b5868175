package import PushModel

/// An independently served part of the index: the fast lane never waits for the bulk lane, and on a cluster the parts
/// are on different servers.
package struct RetryShard: Hashable, Sendable, CustomStringConvertible {
    /// What the entries of a shard bring back. The raw value is part of a key.
    package enum Kind: String, Sendable {
        /// Retries of the lane.
        case fast
        case bulk
        /// Tasks that are to be sent later.
        case tasks
    }

    /// Of each kind. Entries of a higher shard would never be read, so the count may grow but not shrink.
    package static let count = 4

    package let kind: Kind
    package let number: Int

    package init(_ kind: Kind, number: Int) {
        precondition((0..<RetryShard.count).contains(number), "invalid shard \(number)")
        self.kind = kind
        self.number = number
    }

    package init(isFast: Bool, number: Int) {
        self.init(isFast ? .fast : .bulk, number: number)
    }

    /// The shard of a task that is to be sent later.
    package init(scheduled task: TaskID) {
        self.init(.tasks, number: Int(task.low % UInt64(RetryShard.count)))
    }

    /// The shard of a task and segment's orders: always the same, or a repeated order would become a second entry.
    package init(isFast: Bool, task: TaskID, segment: SegmentNumber) {
        let spread = task.low &+ UInt64(segment.rawValue)
        self.init(isFast: isFast, number: Int(spread % UInt64(RetryShard.count)))
    }

    /// Those of retries, the fast lane first.
    package static let retries = shards(of: .fast) + shards(of: .bulk)
    package static let tasks = shards(of: .tasks)
    package static let all = retries + tasks

    package var isFast: Bool { kind == .fast }
    package var description: String { "\(kind.rawValue):\(number)" }

    private static func shards(of kind: Kind) -> [RetryShard] {
        (0..<count).map { RetryShard(kind, number: $0) }
    }
}
