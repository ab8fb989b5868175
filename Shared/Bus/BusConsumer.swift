/// A consumer of one topic or lane. Most of it is its mailbox; a driver adds the code that fills the mailbox.
package protocol BusConsumer: Sendable {
    var mailbox: Mailbox { get }
    /// The next messages of one partition, in order; nil once the consumer is stopped or the task is cancelled.
    func next() async -> Delivery?
    /// Marks a delivery as done; its outputs must be durable. A delivery that is never completed is delivered again,
    /// here after a restart or to another consumer of the group.
    func complete(_ delivery: Delivery)
    /// False once the partition was revoked: the work now belongs to another consumer and should be dropped.
    func isCurrent(_ delivery: Delivery) -> Bool
    /// True once the consumer has joined its group, even if it got no partition.
    var hasJoined: Bool { get }
    var assignedPartitions: Int { get }
    /// Bytes that are fetched or in flight.
    var bufferedBytes: Int { get }
    /// From now on `next` returns nil; deliveries in flight can still be completed.
    func stopTaking()
    /// Commits completed work and leaves the group.
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
