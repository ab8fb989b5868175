/// The position of a message that was sent.
package struct MessagePosition: Hashable, Sendable {
    package let partition: Int32
    /// Nil if the bus has the message from an earlier attempt and does not report its offset.
    package let offset: Int64?

    package init(partition: Int32, offset: Int64?) {
        self.partition = partition
        self.offset = offset
    }
}
