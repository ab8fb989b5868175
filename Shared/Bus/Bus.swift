package import ServiceKit
package import Topics

/// What carries messages between the stages. The drivers (Kafka, Redis Streams, memory) keep one contract:
///
/// - `send` returns only when every message is durable.
/// - A message is delivered until a consumer of the group has completed it: at least once, in order within a partition.
/// - A partition belongs to one living consumer of a group; a slow one keeps what it holds, a dead one does not.
/// - Memory is bounded, and what drains the house is never made to wait.
package protocol Bus: Sendable {
    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer
    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer
    /// Shows everything that lies on a topic or lane now, the oldest of each partition first, without being a member of any
    /// group; until `visit` returns false.
    func scan(_ channel: Channel, _ visit: (IncomingMessage) async throws -> Bool) async throws
    /// Whether the bus answers now, for `/readyz`.
    func readiness() async -> Health.Readiness
    func close() async
}

package protocol BusProducer: Sendable {
    /// Returns once all are durable. After an error some may be durable and others not: send all again, and let the
    /// consumers drop the repeats. Messages of one key stay in order as long as their sends do not overlap.
    func send(_ messages: [OutgoingMessage]) async throws(BusError)
    /// Waits for what is being sent, then refuses more.
    func close() async
}

package struct ProducerOptions: Sendable {
    /// How long a send waits before it fails, as `full` at a topic's bound or as `unavailable` without an answer: short
    /// where a publisher waits, long between stages.
    package var patience: Duration

    package init(patience: Duration = .seconds(30)) {
        self.patience = patience
    }
}

/// Most of a consumer is its mailbox; a driver adds who fills it, and what else has to be told.
package protocol BusConsumer: Sendable {
    var mailbox: Mailbox { get }
    /// The next messages of one partition, in order; nil once the consumer was told to stop or the task is cancelled.
    func next() async -> Delivery?
    /// The work is done and its outputs are durable. What is never completed is delivered again, here after a restart
    /// or to another consumer of the group.
    func complete(_ delivery: Delivery)
    /// False once the partition was taken away: the work now belongs to another consumer and should be dropped.
    func isCurrent(_ delivery: Delivery) -> Bool
    /// Whether it has found its place in its group, be it one without a partition.
    var hasJoined: Bool { get }
    var assignedPartitions: Int { get }
    /// Fetched or in work.
    var bufferedBytes: Int { get }
    /// `next` returns nil from now on; what was delivered can still be completed.
    func stopTaking()
    /// Records what was completed and leaves the group.
    func close() async
}

extension BusConsumer {
    package func next() async -> Delivery? { await mailbox.next() }
    package func complete(_ delivery: Delivery) { mailbox.complete(delivery) }
    package func isCurrent(_ delivery: Delivery) -> Bool { mailbox.isCurrent(delivery) }
    package var hasJoined: Bool { assignedPartitions > 0 }
    package var assignedPartitions: Int { mailbox.read { $0.assigned.count } }
    package var bufferedBytes: Int { mailbox.read { $0.bufferedBytes } }
    package func stopTaking() { mailbox.stop() }
}

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

    package init(
        channel: Channel, group: String, order: Order = .partition, batchMessagesMaximum: Int = 500,
        batchBytesMaximum: Int = 1 << 20, bufferBytesMaximum: Int = 16 << 20,
        handOverDeadline: Duration = .seconds(20)
    ) {
        self.channel = channel
        self.group = group
        self.order = order
        self.batchMessagesMaximum = batchMessagesMaximum
        self.batchBytesMaximum = batchBytesMaximum
        self.bufferBytesMaximum = bufferBytesMaximum
        self.handOverDeadline = handOverDeadline
    }
}
