import RedisClient
package import ServiceKit
package import Store

/// The outbox in Redis: for each shard two sorted sets of queues, for each queue a list and a hash, for each message and
/// device a hash.
package struct RedisStateOutbox: StateOutbox {
    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all reporters share.
    private let time: (any TimeSource)?
    private let queueBytesMaximum: Int

    package init(
        _ redis: StoreConnection, time: (any TimeSource)? = nil,
        queueBytesMaximum: Int = OutboxBounds.queueBytesMaximum
    ) {
        self.redis = redis
        self.time = time
        self.queueBytesMaximum = queueBytesMaximum
    }

    package func append(_ states: [OutboxState], of record: OutboxRecord) async throws(StoreError) -> Int {
        let queue = record.subject.queue
        let arguments: [RedisArgument] = [
            now, RedisArgument(queue.name), RedisArgument(record.head), RedisArgument(record.end.milliseconds),
            RedisArgument(queueBytesMaximum),
        ]
        let answer = try await redis.run(
            RedisStateOutbox.append, keys: keys(queue) + [OutboxKeys.subject(record.subject)],
            arguments: arguments + states.flatMap { [RedisArgument($0.name), RedisArgument($0.bytes)] })
        return Int(answer.integer ?? 0)
    }

    package func head(of subject: OutboxSubject) async throws(StoreError) -> [UInt8]? {
        try await redis.send(RedisCommand("HGET", OutboxKeys.subject(subject), "head")).bytes
    }

    package func take(
        from shard: OutboxShard, upTo count: Int, for lease: Duration
    ) async throws(StoreError) -> [OutboxQueue] {
        let answer = try await redis.run(
            RedisStateOutbox.take, keys: [OutboxKeys.due(shard), OutboxKeys.leases(shard)],
            arguments: [now, RedisArgument(count), RedisArgument(lease.wholeMilliseconds)])
        return (answer.array ?? []).compactMap { value in
            value.bytes.flatMap { OutsideText.string($0) }.flatMap { OutboxQueue(named: $0, in: shard) }
        }
    }

    package func batch(of queue: OutboxQueue, proposing id: String) async throws(StoreError) -> OutboxBatch? {
        let answer = try await redis.run(
            RedisStateOutbox.freeze, keys: keys(queue),
            arguments: [
                RedisArgument(queue.name), RedisArgument(id), RedisArgument(OutboxBounds.batchStatesMaximum),
                RedisArgument(OutboxBounds.batchBytesMaximum),
            ])
        guard let fields = answer.array else { return nil }
        guard fields.count == 5, let id = fields[0].bytes.flatMap({ OutsideText.string($0) }),
            let body = fields[1].bytes, let count = fields[2].integer,
            let since = fields[3].integer, let waiting = fields[4].integer
        else { throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode a batch of states") }
        return OutboxBatch(
            id: id, body: body, count: Int(count),
            since: Timestamp(milliseconds: Int64(since)), isCrowded: waiting > queueBytesMaximum)
    }

    package func finish(_ id: String, of queue: OutboxQueue) async throws(StoreError) {
        _ = try await redis.run(
            RedisStateOutbox.finish, keys: keys(queue),
            arguments: [now, RedisArgument(queue.name), RedisArgument(id)])
    }

    package func postpone(_ id: String, of queue: OutboxQueue, until due: Timestamp) async throws(StoreError) {
        _ = try await redis.run(
            RedisStateOutbox.postpone, keys: Array(keys(queue).prefix(3)),
            arguments: [RedisArgument(queue.name), RedisArgument(id), RedisArgument(due.milliseconds)])
    }

    package func clear(_ queue: OutboxQueue) async throws(StoreError) {
        _ = try await redis.run(
            RedisStateOutbox.clear, keys: keys(queue), arguments: [RedisArgument(queue.name)])
    }

    private var now: RedisArgument { time.map { RedisArgument($0.now.milliseconds) } ?? "" }

    private func keys(_ queue: OutboxQueue) -> [RedisArgument] {
        [
            OutboxKeys.due(queue.shard), OutboxKeys.leases(queue.shard), OutboxKeys.state(queue),
            OutboxKeys.list(queue),
        ]
    }

    static let append = RedisScript(PackageResources.append_states_lua, using: .clock)

    static let take = RedisScript(PackageResources.take_queues_lua, using: .clock)

    static let freeze = RedisScript(PackageResources.freeze_batch_lua)

    static let finish = RedisScript(PackageResources.finish_batch_lua, using: .clock)

    static let postpone = RedisScript(PackageResources.postpone_batch_lua)

    static let clear = RedisScript(PackageResources.clear_queue_lua)
}
