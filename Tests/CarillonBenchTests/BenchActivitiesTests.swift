import JSONKit
import ServiceKit
import Testing

/// A small run: its rates are meaningless here, but all figures must be present, and no phone may keep an old state.
@Suite(.timeLimit(.minutes(10))) struct BenchActivitiesTests {
    @Test func everyPhoneEndsWithTheNewestState() async throws {
        let run = try await BenchRun(["activities", "--json", "--devices", "2000", "--burst-seconds", "5"])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        #expect(expectedNames.isSubset(of: figures.keys), "\(expectedNames.subtracting(figures.keys))")
        for name in expectedNames.subtracting(["activities.burst.stale", "activities.burst.arrived_older"]) {
            #expect(figures[name]?["value"]?.isPositive == true, "\(name)")
        }
        #expect(figures["activities.burst.stale"]?["value"]?.isPositive == false)
        #expect(figures["activities.channel_update.requests"]?["value"] == .number(1))
    }

    /// Without those of each program.
    private var expectedNames: Set<String> {
        let updates = [
            "channel_update.requests", "bytes_per_token", "broadcast.rate", "broadcast.cpu", "update.rate",
            "update.ratio", "update.cpu",
        ]
        let burst = ["rate", "tasks", "pushes", "p50", "p99", "stale", "worst", "arrived_older", "cpu_seconds"]
        return Set((updates + burst.map { "burst.\($0)" }).map { "activities.\($0)" })
    }
}
