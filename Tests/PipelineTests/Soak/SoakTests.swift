import ServiceKit
import TestSupport
import Testing

/// Goal: whichever process is killed at whatever time, the pipeline keeps its promises. Method: two of each service;
/// rounds of several tasks at once, while processes and Redis are killed and the brokers go away; after each round the
/// judge of the simulated histories compares tasks, reports, results and the provider simulator's own list of pushes.
/// `make soak MINUTES=10` runs it.
@Suite(.enabled(if: Soak.minutes != nil), .serialized) struct SoakTests {
    @Test(arguments: Soak.buses)
    func randomKillsBreakNoPromise(_ bus: Harness.BusKind) async throws {
        var soak = try await Soak(bus)
        let end = SystemTimeSource().uptime + .seconds(60 * (Soak.minutes ?? 0))
        defer { print(soak.summary) }
        while SystemTimeSource().uptime < end { try await soak.round() }
        try await soak.close()
    }
}
