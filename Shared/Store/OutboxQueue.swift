package import PushModel

/// The states of an app's messages in one shard.
package struct OutboxQueue: Hashable, Sendable {
    package let app: AppID
    package let shard: OutboxShard

    package init(_ app: AppID, in shard: OutboxShard) {
        self.app = app
        self.shard = shard
    }
}

/// An independent part of the outbox: it bounds how many batches of one app are posted at once. On a cluster the shards
/// are on different servers.
package struct OutboxShard: Hashable, Sendable {
    /// Entries of a higher shard would never be read, so the count may grow but not shrink.
    package static let count = 8
    package static let all = (0..<count).map { OutboxShard(number: $0) }

    package let number: Int

    private init(number: Int) {
        self.number = number
    }

    /// A message is always in the same shard, which keeps its states in order.
    package init(of task: TaskID) {
        number = Int(task.low % UInt64(OutboxShard.count))
    }
}
