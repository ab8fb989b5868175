package import ServiceKit

/// What lies ahead in a shard of the index.
package struct RetryOutlook: Hashable, Sendable {
    /// Entries that wait or are in a lease.
    package let depth: Int
    /// When an entry is due or a lease dies, whichever comes first; nil for an empty shard.
    package let next: Timestamp?
    /// By the clock of the index.
    package let now: Timestamp

    package init(depth: Int, next: Timestamp?, now: Timestamp) {
        self.depth = depth
        self.next = next
        self.now = now
    }

    /// Zero for what is due already.
    package var untilNext: Duration? { next.map { max(.zero, $0 - now) } }
}
