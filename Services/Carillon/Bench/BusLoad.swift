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

/// What a run used, as the process that made it prints it.
struct LoadResult: Sendable {
    let seconds: Double
    let cpuSeconds: Double
    let memoryBytes: Double
    /// From `send` to the handler, one message at a time; only our own runs measure it.
    let latencyP50: Double?
    let latencyP99: Double?

    init?(line: String) {
        func number(_ name: String) -> Double? {
            guard let start = line.firstRange(of: "\"\(name)\":")?.upperBound else { return nil }
            return Double(line[start...].prefix { $0 != "," && $0 != "}" })
        }
        guard let seconds = number("seconds"), let cpu = number("cpu_seconds"), let memory = number("memory_bytes")
        else { return nil }
        self.seconds = seconds
        cpuSeconds = cpu
        memoryBytes = memory
        latencyP50 = number("latency_p50_ms")
        latencyP99 = number("latency_p99_ms")
    }
}
