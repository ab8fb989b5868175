import Testing

@testable import CarillonBench

/// A small run of the rebuild benchmark: its figures are meaningless here, but all must be present.
@Suite(.timeLimit(.minutes(3))) struct BenchRegistryTests {
    @Test func everyFigureOfARebuildIsPrinted() async throws {
        let figures = try await RebuildBench(devices: 1_000).run()
        let names = ["rate", "cpu", "redis_cpu", "memory_peak"].map { "registry.rebuild.\($0)" }
        #expect(figures.map(\.name) == names)
        #expect(figures.first?.unit == "records/s")
        #expect(figures.allSatisfy { $0.value > 0 })
    }
}
