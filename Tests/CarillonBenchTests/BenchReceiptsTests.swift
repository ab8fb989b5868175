import JSONKit
import ServiceKit
import Testing

/// A short run of the benchmark of receipts: it ends only when every receipt is counted.
@Suite(.timeLimit(.minutes(5))) struct BenchReceiptsTests {
    @Test func everyReceiptIsCounted() async throws {
        let run = try await BenchRun(["receipts", "--json", "--seconds", "2"])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        #expect(Set(figures.keys) == ["receipts.rate", "receipts.backlog"])
        #expect(figures["receipts.rate"]?["value"]?.isPositive == true)
    }
}
