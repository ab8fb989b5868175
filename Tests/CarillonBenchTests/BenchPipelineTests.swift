import JSONKit
import ServiceKit
import Testing

/// A small run of the pipeline benchmark: its figures are meaningless here, but all must be present.
@Suite(.timeLimit(.minutes(5))) struct BenchPipelineTests {
    @Test func everyFigureIsPrinted() async throws {
        let run = try await BenchRun(["pipeline", "--json", "--devices", "100"])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        let names = [
            "broadcast.seconds", "broadcast.closed_seconds", "broadcast.cpu_seconds", "broadcast.cpu_seconds.redis",
            "broadcast.limit_cpu_seconds", "broadcast.limit_ratio", "broadcast.memory_peak.apns-sender",
            "push_idle.p50", "push_idle.p99",
        ]
        for name in names { #expect(figures["pipeline.\(name)"]?["value"]?.isPositive == true, "\(name)") }
    }

    @Test func withoutH2LoadItSaysHowToGetIt() async throws {
        let run = try await BenchRun(["pipeline"], variables: ["PATH": "/nonexistent"])
        #expect(run.ending == .exited(1))
        #expect(run.lines == ["carillon bench: h2load is not installed: apt-get install nghttp2-client"])
    }
}
