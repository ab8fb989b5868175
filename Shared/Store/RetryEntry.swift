package import ServiceKit

/// An order and its due time. The same order with the same time is the same entry.
package struct RetryEntry: Hashable, Sendable {
    /// The year 10889; a store has six bytes for milliseconds.
    private static let latest = Int64(1) << 48 - 1

    package let due: Timestamp
    package let order: [UInt8]

    package init(due: Timestamp, order: [UInt8]) {
        self.due = Timestamp(milliseconds: min(max(due.milliseconds, 0), RetryEntry.latest))
        self.order = order
    }
}
