import JSONKit
import ServiceKit
import Testing

/// A short run of the benchmark of events: it ends only when every datagram has an outcome and every task is closed.
@Suite(.timeLimit(.minutes(5))) struct BenchEventsTests {
    @Test func everyDatagramHasAnOutcome() async throws {
        let run = try await BenchRun(["events", "--json", "--seconds", "2", "--rate", "500"])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        #expect(
            Set(figures.keys) == [
                "events.udp.rate", "events.udp.lost", "events.udp.dropped", "events.udp.backlog", "events.udp.cpu",
                "events.udp.memory", "events.udp.garbage_memory",
            ])
        #expect(figures["events.udp.rate"]?["value"]?.isPositive == true)
        #expect(figures["events.udp.lost"]?["value"]?.isPositive == false)
    }
}
