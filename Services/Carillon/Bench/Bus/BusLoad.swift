import ServiceKit

/// What one run of the bus benchmark moves, and the words with which it is started in a process of its own.
struct BusLoad: Sendable {
    let topic: String
    let partitions: Int
    let messages: Int
    let bytes: Int
    let batch: Int
    /// Messages sent and not yet handled, at the most. Pretended brokers drop what piles up beyond 5 MiB a partition.
    let window: Int

    var numbers: [String] { [partitions, messages, bytes, batch, window].map(String.init) }

    /// Bytes that do not compress, the same in every run.
    var payload: [UInt8] {
        let random = SeededRandomSource(seed: 1)
        return (0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}
