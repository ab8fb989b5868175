import JSONKit
import ServiceKit
import Testing

/// A short run of the benchmark of single pushes: it ends only when every push is at its provider.
@Suite(.timeLimit(.minutes(5))) struct BenchSingleTests {
    @Test func everyPushArrives() async throws {
        let run = try await BenchRun([
            "single", "--json", "--devices", "100", "--pushes", "100", "--seconds", "1",
        ])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        let names = [
            "accepted.rate", "delivered.rate", "cpu_ms", "cpu_ms.redis", "cpu_ratio", "redis_calls", "redis_us",
            "aof_bytes", "half_load.p50", "high_load.p99", "memory_peak.reporter", "beside_broadcast.p99",
        ]
        for name in names { #expect(figures["single.\(name)"]?["value"]?.isPositive == true, "\(name)") }
    }
}
