import MemoryStore
import PushModel
import ServiceKit
import Store

struct SimulatedStateOutbox: StateOutbox {
    let base: MemoryStateOutbox
    let seam: Seam

    func append(_ states: [OutboxState], of record: OutboxRecord) async throws(StoreError) -> Int {
        let states = mistaken(states, of: record.subject)
        return try await seam.call("outbox.append") { base.append(states, of: record) }
    }

    func head(of subject: OutboxSubject) async throws(StoreError) -> [UInt8]? {
        try await seam.call("outbox.head") { base.head(of: subject) }
    }

    func take(from shard: OutboxShard, upTo count: Int, for lease: Duration) async throws(StoreError) -> [OutboxQueue] {
        if seam.mayLookInPassing, base.queueCount == 0 { return [] }
        return try await seam.call("outbox.take") { base.take(from: shard, upTo: count, for: lease) }
    }

    func batch(of queue: OutboxQueue, proposing id: String) async throws(StoreError) -> OutboxBatch? {
        let batch = try await seam.call("outbox.batch") { base.batch(of: queue, proposing: id) }
        if seam.world.bug == .statesLeftEarly, let batch { base.finish(batch.id, of: queue) }
        return batch.map { mistaken($0, proposed: id) }
    }

    func finish(_ id: String, of queue: OutboxQueue) async throws(StoreError) {
        try await seam.call("outbox.finish") { base.finish(id, of: queue) }
    }

    func postpone(_ id: String, of queue: OutboxQueue, until due: Timestamp) async throws(StoreError) {
        try await seam.call("outbox.postpone") { base.postpone(id, of: queue, until: due) }
    }

    func clear(_ queue: OutboxQueue) async throws(StoreError) {
        try await seam.call("outbox.clear") { base.clear(queue) }
    }
}

extension SimulatedStateOutbox {
    private func mistaken(_ states: [OutboxState], of subject: OutboxSubject) -> [OutboxState] {
        switch seam.world.bug {
        case .stateToldAgain where !subject.isDevice: states.map(renamed)
        case .removalToldTwice where subject.isDevice: states + states.map(renamed)
        default: states
        }
    }

    /// The outbox drops what it had by the name.
    private func renamed(_ state: OutboxState) -> OutboxState {
        OutboxState("\(state.name) \(seam.seed())", bytes: state.bytes)
    }

    private func mistaken(_ batch: OutboxBatch, proposed id: String) -> OutboxBatch {
        guard seam.world.bug == .repeatWithOtherBytes, batch.id != id else { return batch }
        return OutboxBatch(
            id: batch.id, body: batch.body + Array(" ".utf8), count: batch.count, since: batch.since,
            isCrowded: batch.isCrowded)
    }
}

extension OutboxSubject {
    fileprivate var isDevice: Bool {
        if case .device = kind { true } else { false }
    }
}
