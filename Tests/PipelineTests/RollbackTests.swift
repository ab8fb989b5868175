import PushModel
import TestSupport
import Testing
import Topics

/// Goal: after Redis comes back with older data in the middle of a task, no push is repeated that must not be. Method:
/// slow providers, a copy of the append-only file from the middle of the task, hundreds of further claims, the copy
/// restored, and the simulator's own count.
@Suite(.timeLimit(.minutes(10))) struct RollbackTests {
    @Test func withKafkaNothingIsSentUntilARebuild() async throws {
        let harness = try await Harness(.kafka)
        let task = try await goBack(harness, task: #"{"audience":{"topic":"news"},"message":{"body":"There"}}"#)
        try await harness.isToBeRebuilt()
        _ = try await harness.rebuild()
        try await expectEnd(of: task, harness)
        let next = try await harness.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"Again"}}"#)
        let report = try #require(await harness.reports.report(of: next), "\(harness.lines)")
        #expect(report[.delivered] == KillStory.devices && report.targeted == KillStory.devices)
        try await harness.close()
    }

    @Test func theEmbeddedPipelineRepeatsNoPushThatForbidsIt() async throws {
        let harness = try await Harness(.embedded)
        // Devices whose settlement is lost remain claimed until the task's deadline.
        let options = #""options":{"ambiguous":"at_most_once","time_to_live":"60s"}"#
        let task = try await goBack(
            harness, task: #"{"audience":{"topic":"news"},"message":{"body":"There"},\#(options)}"#)
        try await expectEnd(of: task, harness)
        try await harness.close()
    }

    private func goBack(_ harness: Harness, task: String) async throws -> TaskID {
        _ = try await harness.ingest.register(TestDevice.mixture(KillStory.devices))
        try await harness.slowProviders(from: "1s", to: "2s")
        let id = try await harness.ingest.post(task)
        // The senders claim 2,000 of 3,000 devices at first, which is when the simulator counts them, and the others as
        // these are answered.
        try await harness.hasDelivered(1)
        try await harness.redis.goBack { try await harness.hasDelivered(2_900) }
        return id
    }

    private func expectEnd(of task: TaskID, _ harness: Harness) async throws {
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report[.delivered] + report[.unknown] == report.targeted)
        #expect(report.targeted <= KillStory.devices)
        #expect(try await harness.delivered() >= report[.delivered])
        #expect(try await harness.sum("repeated") == 0)
    }
}

extension Harness {
    /// Waits until a process requests a rebuild in `/readyz`.
    fileprivate func isToBeRebuilt() async throws {
        let sender = try process("apns-sender")
        try await waitUntil { await sender.readiness().contains("carillon rebuild") }
    }
}
