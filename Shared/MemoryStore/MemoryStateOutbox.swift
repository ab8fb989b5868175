package import ServiceKit
package import Store
import Synchronization

/// The outbox in memory.
package final class MemoryStateOutbox: StateOutbox, Revertible {
    private struct Waiting {
        let bytes: [UInt8]
        let since: Timestamp
    }

    private struct Queue {
        var states: [Waiting] = []
        var batch: OutboxBatch?
        var due: Timestamp?
        var leaseEnd: Timestamp?
        var bytes: Int { states.reduce(0) { $0 + $1.bytes.count } }
    }

    private struct Subject {
        let head: [UInt8]
        let end: Timestamp
        var names: Set<String> = []
    }

    private struct State {
        var queues: [OutboxQueue: Queue] = [:]
        var subjects: [OutboxSubject: Subject] = [:]
    }

    private let time: any TimeSource
    private let queueBytesMaximum: Int
    private let state = Mutex(State())

    package init(time: any TimeSource, queueBytesMaximum: Int = OutboxBounds.queueBytesMaximum) {
        self.time = time
        self.queueBytesMaximum = queueBytesMaximum
    }

    /// The queues with states that are not posted.
    package var queueCount: Int { state.withLock { $0.queues.count } }

    package func append(_ states: [OutboxState], of record: OutboxRecord) -> Int {
        let (now, place) = (time.now, record.subject.queue)
        return state.withLock { state in
            state.subjects = state.subjects.filter { $0.value.end > now }
            var known = state.subjects[record.subject] ?? Subject(head: record.head, end: record.end)
            let new = states.filter { known.names.insert($0.name).inserted }
            state.subjects[record.subject] = known
            guard !new.isEmpty else { return 0 }
            var queue = state.queues[place] ?? Queue()
            queue.states += new.map { Waiting(bytes: $0.bytes, since: now) }
            let isLeased = queue.leaseEnd.map { $0 > now } ?? false
            if queue.due == nil || queue.bytes > queueBytesMaximum && !isLeased { queue.due = now }
            state.queues[place] = queue
            return new.count
        }
    }

    package func head(of subject: OutboxSubject) -> [UInt8]? {
        let now = time.now
        return state.withLock { state in state.subjects[subject].flatMap { $0.end > now ? $0.head : nil } }
    }

    package func take(from shard: OutboxShard, upTo count: Int, for lease: Duration) -> [OutboxQueue] {
        let now = time.now
        return state.withLock { state in
            let due = state.queues.compactMap { queue, content in
                content.due.flatMap { queue.shard == shard && $0 <= now ? (queue: queue, due: $0) : nil }
            }
            let taken = due.sorted { $0.due < $1.due }.prefix(count).map(\.queue)
            for queue in taken {
                state.queues[queue]?.due = now + lease
                state.queues[queue]?.leaseEnd = now + lease
            }
            return taken
        }
    }

    package func batch(of queue: OutboxQueue, proposing id: String) -> OutboxBatch? {
        state.withLock { state in
            guard var content = state.queues[queue] else { return nil }
            let frozen = content.batch ?? MemoryStateOutbox.freeze(&content.states, id: id)
            guard let frozen else {
                state.queues[queue] = nil
                return nil
            }
            let batch = OutboxBatch(
                id: frozen.id, body: frozen.body, count: frozen.count, since: frozen.since,
                isCrowded: content.bytes > queueBytesMaximum)
            content.batch = batch
            state.queues[queue] = content
            return batch
        }
    }

    package func finish(_ id: String, of queue: OutboxQueue) {
        let now = time.now
        state.withLock { state in
            guard var content = state.queues[queue], content.batch?.id == id else { return }
            content.batch = nil
            content.leaseEnd = nil
            content.due = now
            state.queues[queue] = content.states.isEmpty ? nil : content
        }
    }

    package func postpone(_ id: String, of queue: OutboxQueue, until due: Timestamp) {
        state.withLock { state in
            guard state.queues[queue]?.batch?.id == id else { return }
            state.queues[queue]?.due = due
            state.queues[queue]?.leaseEnd = nil
        }
    }

    package func clear(_ queue: OutboxQueue) {
        state.withLock { $0.queues[queue] = nil }
    }

    private static func freeze(_ states: inout [Waiting], id: String) -> OutboxBatch? {
        guard let first = states.first else { return nil }
        var size = 2
        let taken = states.prefix(OutboxBounds.batchStatesMaximum).prefix { state in
            let isFirst = size == 2
            size += state.bytes.count + 1
            return isFirst || size <= OutboxBounds.batchBytesMaximum
        }
        states.removeFirst(taken.count)
        let body = Array("[".utf8) + taken.map(\.bytes).joined(separator: ",".utf8) + Array("]".utf8)
        return OutboxBatch(id: id, body: body, count: taken.count, since: first.since, isCrowded: false)
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
