import ServiceKit

/// Parameters of one run of the bus benchmark, and the arguments that start it in a process of its own.
struct BusLoad: Sendable {
    let topic: String
    let partitions: Int
    let messages: Int
    let bytes: Int
    let batch: Int
    /// Maximum of messages sent and not yet handled. Mock brokers drop messages beyond 5 MiB in a partition.
    let window: Int

    var numbers: [String] { [partitions, messages, bytes, batch, window].map(String.init) }

    /// Incompressible bytes, the same in every run.
    var payload: [UInt8] {
        let random = SeededRandomSource(seed: 1)
        return (0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}
