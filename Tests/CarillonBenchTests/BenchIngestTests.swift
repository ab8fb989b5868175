import JSONKit
import ServiceKit
import Testing

/// A small run of the ingest benchmark: its figures are meaningless here, but all must be present.
@Suite(.timeLimit(.minutes(3))) struct BenchIngestTests {
    @Test func everyFigureIsPrinted() async throws {
        let run = try await BenchRun(["ingest", "--json", "--requests", "1000", "--rounds", "1"])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        let names = ["rate", "p50", "p99", "cpu_per_1k", "redis_cpu_per_1k", "memory_peak", "redis_memory_peak"]
        #expect(Set(figures.keys) == Set(names.map { "ingest.task.\($0)" }))
        for (name, figure) in figures {
            #expect(figure["value"]?.isPositive == true, "\(name)")
            #expect((figure["ratio"]?.isPositive == true) == (name == "ingest.task.rate"), "\(name)")
        }
    }

    @Test func withoutH2LoadItSaysHowToGetIt() async throws {
        let run = try await BenchRun(["ingest"], variables: ["PATH": "/nonexistent"])
        #expect(run.ending == .exited(1))
        #expect(run.lines == ["carillon bench: h2load is not installed: apt-get install nghttp2-client"])
    }
}
