package import ServiceKit

/// Entries that were due, held for a limited time.
package struct RetryLease: Hashable, Sendable {
    /// The earliest first.
    package let entries: [RetryEntry]
    /// When it began, by the clock of the index.
    package let taken: Timestamp
    /// When it expires. A later holder gets a later end, so the end identifies the holder of an entry.
    package let end: Timestamp

    package init(entries: [RetryEntry], taken: Timestamp, end: Timestamp) {
        self.entries = entries
        self.taken = taken
        self.end = end
    }
}
