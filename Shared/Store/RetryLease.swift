package import ServiceKit

/// Entries that were due, held for a while.
package struct RetryLease: Hashable, Sendable {
    /// The earliest first.
    package let entries: [RetryEntry]
    /// When it was taken, by the clock of the index.
    package let taken: Timestamp
    /// It dies then. Who takes an entry after that gets a later end, so that the end tells whose an entry is.
    package let end: Timestamp

    package init(entries: [RetryEntry], taken: Timestamp, end: Timestamp) {
        self.entries = entries
        self.taken = taken
        self.end = end
    }
}
