import PushModel
import ServiceKit
import Store
import TestSupport

/// An outbox whose changes may be cut off before or after they are made.
struct CutOutbox: StateOutbox {
    private let outbox: any StateOutbox
    private let scissors: Scissors

    init(_ outbox: any StateOutbox, scissors: Scissors) {
        self.outbox = outbox
        self.scissors = scissors
    }

    func append(_ states: [OutboxState], of record: OutboxRecord) async throws(StoreError) -> Int {
        try await scissors.around { () async throws(StoreError) in try await outbox.append(states, of: record) }
    }

    func head(of subject: OutboxSubject) async throws(StoreError) -> [UInt8]? { try await outbox.head(of: subject) }

    func take(
        from shard: OutboxShard, upTo count: Int, for lease: Duration
    ) async throws(StoreError) -> [OutboxQueue] {
        try await outbox.take(from: shard, upTo: count, for: lease)
    }

    func batch(of queue: OutboxQueue, proposing id: String) async throws(StoreError) -> OutboxBatch? {
        try await scissors.around { () async throws(StoreError) in
            try await outbox.batch(of: queue, proposing: id)
        }
    }

    func finish(_ id: String, of queue: OutboxQueue) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in try await outbox.finish(id, of: queue) }
    }

    func postpone(_ id: String, of queue: OutboxQueue, until due: Timestamp) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await outbox.postpone(id, of: queue, until: due)
        }
    }

    func clear(_ queue: OutboxQueue) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in try await outbox.clear(queue) }
    }
}
