import JSONKit
import ServiceKit
import Testing

/// A small run: its figures are meaningless here, but all must be present.
@Suite(.timeLimit(.minutes(3))) struct BenchImportTests {
    @Test func everyFigureOfAnImportIsPrinted() async throws {
        let run = try await BenchRun(["import", "--json", "--devices", "1000"])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        #expect(
            Set(figures.keys)
                == Set(["rate", "cpu", "redis_cpu", "memory_peak"].map { "import.pushd.\($0)" }))
        #expect(figures.values.allSatisfy { $0["value"]?.isPositive == true })
        #expect(figures["import.pushd.rate"]?["ratio"]?.isPositive == true)
    }
}
