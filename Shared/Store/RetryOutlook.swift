package import ServiceKit

/// The pending work in a shard of the index.
package struct RetryOutlook: Hashable, Sendable {
    /// Entries that wait or are leased.
    package let depth: Int
    /// When an entry is due or a lease expires, whichever comes first; nil for an empty shard.
    package let next: Timestamp?
    /// Current time by the clock of the index.
    package let now: Timestamp

    package init(depth: Int, next: Timestamp?, now: Timestamp) {
        self.depth = depth
        self.next = next
        self.now = now
    }

    /// Zero if an entry is already due.
    package var untilNext: Duration? { next.map { max(.zero, $0 - now) } }
}
