package import Topics

package struct ConsumerOptions: Sendable {
    package enum Order: Sendable {
        /// One delivery of a partition at a time.
        case partition
        /// Several deliveries of a partition at once, where only the work counts and not its order.
        case none
    }

    package let channel: Channel
    package let group: String
    package var order: Order
    package var batchMessagesMaximum: Int
    package var batchBytesMaximum: Int
    /// What may wait here before the consumer stops fetching, in equal shares for its partitions; with what is in work,
    /// twice that.
    package var bufferBytesMaximum: Int
    /// How long a partition that is taken away waits for the work in flight.
    package var handOverDeadline: Duration
    /// Silence after which a member of the group counts as dead, where the driver counts for each group by itself, as Kafka
    /// does; nil for what holds everywhere else.
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
