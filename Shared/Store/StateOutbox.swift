package import ServiceKit

/// States of messages and of devices that are to be posted to webhooks, in the order in which they became known. Each app
/// has two queues in each shard, one for messages and one for devices, and a queue keeps its order: at most one batch of
/// it is posted at a time.
///
/// Every call may be repeated. What several processes post at once, because a lease ended, is the same batch.
package protocol StateOutbox: Sendable {
    /// Appends the states of the subject that were not appended before, in this order, and keeps its head for its later
    /// states. Returns how many were appended.
    func append(_ states: [OutboxState], of record: OutboxRecord) async throws(StoreError) -> Int
    /// The head that was kept first; nil if the subject has no states, or since its end.
    func head(of subject: OutboxSubject) async throws(StoreError) -> [UInt8]?

    /// Leases queues that are due, the earliest first.
    func take(from shard: OutboxShard, upTo count: Int, for lease: Duration) async throws(StoreError) -> [OutboxQueue]
    /// The batch of the queue that is not finished; else its first states become one, with this id. Nil if it is empty.
    func batch(of queue: OutboxQueue, proposing id: String) async throws(StoreError) -> OutboxBatch?
    /// Removes the batch; the queue is due if it has more. No effect for another id than that of the queue's batch.
    func finish(_ id: String, of queue: OutboxQueue) async throws(StoreError)
    /// Sets when the batch is due again. No effect for another id.
    func postpone(_ id: String, of queue: OutboxQueue, until due: Timestamp) async throws(StoreError)
    /// Removes all states of the queue.
    func clear(_ queue: OutboxQueue) async throws(StoreError)
}
