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
