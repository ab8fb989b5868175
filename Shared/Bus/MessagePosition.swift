/// Where a message came to lie.
package struct MessagePosition: Hashable, Sendable {
    package let partition: Int32
    /// Nil where the bus has the message from an earlier attempt and does not say at which offset.
    package let offset: Int64?

    package init(partition: Int32, offset: Int64?) {
        self.partition = partition
        self.offset = offset
    }
}
