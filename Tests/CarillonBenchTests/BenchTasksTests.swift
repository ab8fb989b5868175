import JSONKit
import ServiceKit
import Testing

/// A short run of the benchmark of requests with many tasks: it fails if a task is refused.
@Suite(.timeLimit(.minutes(5))) struct BenchTasksTests {
    @Test func everyTaskIsAccepted() async throws {
        let run = try await BenchRun(["tasks", "--json", "--devices", "1000", "--seconds", "1"])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        for name in ["rate", "p50", "p99", "redis_bytes", "maxmemory", "cpu_us.ingest-api", "memory_peak.redis"] {
            #expect(figures["tasks.batch.\(name)"]?["value"]?.isPositive == true, "\(name)")
        }
        #expect(figures["tasks.batch.backlog"] != nil && figures["tasks.batch.channel_bytes"] != nil)
    }
}
