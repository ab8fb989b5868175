import JSONKit
import PushModel
import TestSupport
import Testing
import Topics

/// One push through every process.
@Suite(.timeLimit(.minutes(10))) struct BroadcastTests {
    @Test(arguments: Harness.BusKind.allCases)
    func everyDeviceOfATopicGetsOnePush(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        _ = try await harness.ingest.register(TestDevice.mixture(3_000))
        let task = try await harness.ingest.post(
            #"{"audience":{"topic":"news"},"platforms":["ios","android"],"message":{"title":"Hi","body":"There"}}"#)
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.targeted == 3_000)
        #expect(report[.delivered] == 3_000)
        for provider in Harness.providers {
            let counted = try await harness.simulator.statistics(provider)
            #expect(counted["distinct_devices"] == .integer(1_000), "\(provider)")
            #expect(counted["most_for_one_device"] == .integer(1), "\(provider)")
        }
        try await harness.close()
    }
}
