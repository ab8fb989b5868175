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
final class BatchEnds: Sendable {
    typealias Entry = (number: Int, end: BatchEnd)

    private let ends = Mutex<[Int: BatchEnd]>([:])

    func add(_ end: BatchEnd, of number: Int) {
        ends.withLock { $0[number, default: BatchEnd()].add(end) }
    }

    /// One entry for each chunk, in their order.
    func take() -> [Entry] {
        let taken = ends.withLock { ends in
            defer { ends = [:] }
            return ends
        }
        return taken.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
