/// Resources used by a run, as printed by its process.
struct LoadResult: Sendable {
    let seconds: Double
    let cpuSeconds: Double
    let memoryBytes: Double
    /// Latency from `send` to the handler, one message at a time; measured only for Carillon's bus.
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
