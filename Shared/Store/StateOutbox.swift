package import PushModel
package import ServiceKit

/// States of messages that are to be posted to webhooks, in the order in which they became known. Each app has a queue in
/// each shard, and the messages of a shard keep their order: at most one batch of a queue is posted at a time.
///
/// Every call may be repeated. What several processes post at once, because a lease ended, is the same batch.
package protocol StateOutbox: Sendable {
    /// Appends the states of the message that were not appended before, in this order, and keeps its head for its later
    /// states. Returns how many were appended.
    func append(_ states: [MessageState], of message: OutboxMessage) async throws(StoreError) -> Int
    /// What the states of a message have in common; nil if it has no states, or since its end.
    func head(of task: TaskID) async throws(StoreError) -> [UInt8]?

    /// Leases apps whose queues are due, the earliest first.
    func take(from shard: OutboxShard, upTo count: Int, for lease: Duration) async throws(StoreError) -> [AppID]
    /// The batch of the queue that is not finished; else its first states become one, with this id. Nil if it is empty.
    func batch(of queue: OutboxQueue, proposing id: String) async throws(StoreError) -> OutboxBatch?
    /// Removes the batch; the queue is due if it has more. No effect for another id than that of the queue's batch.
    func finish(_ id: String, of queue: OutboxQueue) async throws(StoreError)
    /// Sets when the batch is due again. No effect for another id.
    func postpone(_ id: String, of queue: OutboxQueue, until due: Timestamp) async throws(StoreError)
    /// Removes all states of the queue.
    func clear(_ queue: OutboxQueue) async throws(StoreError)
}
