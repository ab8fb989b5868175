package import ServiceKit

/// An order and when it is due. The same order for the same time is the same entry.
package struct RetryEntry: Hashable, Sendable {
    /// Until the year 10889; a store counts milliseconds in six bytes.
    private static let latest = Int64(1) << 48 - 1

    package let due: Timestamp
    package let order: [UInt8]

    package init(due: Timestamp, order: [UInt8]) {
        self.due = Timestamp(milliseconds: min(max(due.milliseconds, 0), RetryEntry.latest))
        self.order = order
    }
}
