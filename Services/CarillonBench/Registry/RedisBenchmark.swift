import ServiceKit

/// Redis' own benchmark, the baseline for the store.
enum RedisBenchmark {
    /// Commands per second.
    static func rate(port: UInt16, clients: Int, pipeline: Int, _ command: [String]) async throws -> Double {
        let process = try ChildProcess(
            "redis-benchmark",
            arguments: [
                "-p", "\(port)", "-c", "\(clients)", "-P", "\(pipeline)", "-n", "200000", "-r", "1000000", "--csv",
            ]
                + command)
        guard await process.end() == .exited(0), let line = process.lines.last(where: { $0.hasPrefix("\"") }) else {
            throw BenchError("redis-benchmark failed: \(process.lines.last ?? "no output")")
        }
        let fields = line.split(separator: ",").map { $0.filter { $0 != "\"" } }
        guard let rate = fields.dropFirst().first.flatMap({ Double($0) }) else {
            throw BenchError("redis-benchmark printed \(line)")
        }
        return rate
    }
}
