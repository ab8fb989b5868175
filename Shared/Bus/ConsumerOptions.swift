package import Topics

package struct ConsumerOptions: Sendable {
    package enum Order: Sendable {
        /// One delivery of a partition at a time.
        case partition
        /// Several deliveries of a partition at the same time, for work whose order does not matter.
        case none
    }

    package let channel: Channel
    package let group: String
    package var order: Order
    package var batchMessagesMaximum: Int
    package var batchBytesMaximum: Int
    /// Bytes that may be buffered before the consumer stops fetching, divided equally among its partitions. Including
    /// work in flight, the limit is twice that.
    package var bufferBytesMaximum: Int
    /// How long a revoked partition waits for the work in flight.
    package var handOverDeadline: Duration
    /// Session timeout of this group's members, for drivers that have one per group, such as Kafka; nil for the
    /// driver's default.
    package var silenceMaximum: Duration?

    package init(
        channel: Channel, group: String, order: Order = .partition, batchMessagesMaximum: Int = 500,
        batchBytesMaximum: Int = 1 << 20, bufferBytesMaximum: Int = 16 << 20,
        handOverDeadline: Duration = .seconds(20), silenceMaximum: Duration? = nil
    ) {
        self.channel = channel
        self.group = group
        self.order = order
        self.batchMessagesMaximum = batchMessagesMaximum
        self.batchBytesMaximum = batchBytesMaximum
        self.bufferBytesMaximum = bufferBytesMaximum
        self.handOverDeadline = handOverDeadline
        self.silenceMaximum = silenceMaximum
    }
}
