import Bus
import Synchronization
import Topics

/// Results of a batch, or of a part of it, and further messages to send for it.
struct BatchEnd: Sendable {
    var results: [DeviceResult] = []
    /// Retries of devices that other senders hold.
    var orders: [OutgoingMessage] = []

    mutating func add(_ other: BatchEnd) {
        results += other.results
        orders += other.orders
    }
}

/// What has ended and is not yet sent, by the chunk that it belongs to.
///
/// The results of a chunk are sent together while its devices end one after another, and early if the rest takes long.
final class BatchEnds: Sendable {
    /// `chunk` is the position of its message among those that are handled together.
    typealias Entry = (chunk: Int, end: BatchEnd)

    private struct Waiting {
        var end = BatchEnd()
        var hasGrown = true
        var intervals = 0
    }

    /// For how many intervals results may wait for further ones.
    private static let intervalsMaximum = 20

    private let chunks = Mutex<[Int: Waiting]>([:])

    func add(_ end: BatchEnd, of chunk: Int) {
        chunks.withLock { chunks in
            chunks[chunk, default: Waiting()].end.add(end)
            if !end.results.isEmpty { chunks[chunk]?.hasGrown = true }
        }
    }

    /// Called at the end of each interval; returns the results that waited for an interval in which nothing of their
    /// chunk ended, or for too long. Orders stay: a chunk that is handled again would have them a second time.
    func takeWaitingResults() -> [Entry] {
        chunks.withLock { chunks in
            var taken: [Entry] = []
            for (chunk, var waiting) in chunks {
                waiting.intervals += 1
                let isDue = !waiting.hasGrown || waiting.intervals >= BatchEnds.intervalsMaximum
                if isDue, !waiting.end.results.isEmpty {
                    taken.append((chunk, BatchEnd(results: waiting.end.results)))
                    waiting = Waiting(end: BatchEnd(orders: waiting.end.orders))
                }
                waiting.hasGrown = false
                chunks[chunk] = waiting
            }
            return taken.sorted { $0.chunk < $1.chunk }
        }
    }

    func takeAll() -> [Entry] {
        let taken = chunks.withLock { chunks in
            defer { chunks = [:] }
            return chunks
        }
        return taken.sorted { $0.key < $1.key }.map { ($0.key, $0.value.end) }
    }
}
