import Bus
import Synchronization
import Topics

/// What came of a batch, or of a part of it.
struct BatchEnd: Sendable {
    var results: [DeviceResult] = []
    /// Retries of devices that other senders hold.
    var orders: [OutgoingMessage] = []

    mutating func add(_ other: BatchEnd) {
        results += other.results
        orders += other.orders
    }
}

/// What has ended and is not yet reported, by the number of its chunk.
///
/// Devices of a chunk are reported together while one after another ends, and early if the rest takes long.
final class BatchEnds: Sendable {
    typealias Entry = (number: Int, end: BatchEnd)

    private struct Waiting {
        var end = BatchEnd()
        var hasGrown = true
        var intervals = 0
    }

    /// For how many intervals ends may wait for further ones.
    private static let intervalsMaximum = 40

    private let chunks = Mutex<[Int: Waiting]>([:])

    func add(_ end: BatchEnd, of number: Int) {
        chunks.withLock { chunks in
            chunks[number, default: Waiting()].end.add(end)
            chunks[number]?.hasGrown = true
        }
    }

    /// Called at the end of each interval; returns what waited for an interval in which nothing of its chunk ended, or
    /// for too long.
    func takeWaiting() -> [Entry] {
        chunks.withLock { chunks in
            let due = chunks.filter { !$0.value.hasGrown || $0.value.intervals + 1 >= BatchEnds.intervalsMaximum }
            for number in chunks.keys {
                chunks[number]?.hasGrown = false
                chunks[number]?.intervals += 1
            }
            return BatchEnds.remove(Array(due.keys), from: &chunks)
        }
    }

    func takeAll() -> [Entry] {
        chunks.withLock { BatchEnds.remove(Array($0.keys), from: &$0) }
    }

    private static func remove(_ numbers: [Int], from chunks: inout [Int: Waiting]) -> [Entry] {
        numbers.sorted().compactMap { number in chunks.removeValue(forKey: number).map { (number, $0.end) } }
    }
}
