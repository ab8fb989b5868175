import PushModel
import TestSupport
import Testing
import Topics

/// Goal: a Redis that comes back with older data in the middle of a task makes nobody get anything twice that must not
/// be sent twice. Method: slow providers, a copy of the append-only file from the middle of the task, hundreds of claims
/// more, the copy put back, and the simulator's own count.
@Suite(.timeLimit(.minutes(10)), .serialized) struct RollbackTests {
    @Test func withKafkaNothingIsSentUntilARebuild() async throws {
        let house = try await Harness(.kafka)
        let task = try await goBack(house, #"{"audience":{"topic":"news"},"message":{"body":"There"}}"#)
        try await house.isToBeRebuilt()
        _ = try await house.rebuild()
        try await expectEnd(of: task, house)
        let next = try await house.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"Again"}}"#)
        let report = try #require(await house.reports.report(of: next, within: .seconds(240)), "\(house.lines)")
        #expect(report[.delivered] == KillStory.devices && report.targeted == KillStory.devices)
        try await house.close()
    }

    @Test func theEmbeddedHouseSendsNothingTwiceThatMustNotBe() async throws {
        let house = try await Harness(.embedded)
        // Devices whose settlement went are held by their claims until the task's deadline.
        let options = #""options":{"ambiguous":"at_most_once","time_to_live":"60s"}"#
        let task = try await goBack(
            house, #"{"audience":{"topic":"news"},"message":{"body":"There"},\#(options)}"#)
        try await expectEnd(of: task, house)
        try await house.close()
    }

    private func goBack(_ house: Harness, _ task: String) async throws -> TaskID {
        _ = try await house.ingest.register(TestDevice.mixture(KillStory.devices))
        try await house.slowProviders(from: "1s", to: "2s")
        let id = try await house.ingest.post(task)
        // Of 3,000 devices the senders claim 2,000 at once, which is when the simulator counts them, and the others as these
        // are answered.
        try await house.hasDelivered(1)
        try await house.redis.goBack { try await house.hasDelivered(2_900) }
        return id
    }

    private func expectEnd(of task: TaskID, _ house: Harness) async throws {
        let report = try #require(await house.reports.report(of: task, within: .seconds(240)), "\(house.lines)")
        #expect(report[.delivered] + report[.unknown] == report.targeted)
        #expect(report.targeted <= KillStory.devices)
        #expect(try await house.delivered() >= report[.delivered])
        #expect(try await house.sum("repeated") == 0)
    }
}

extension Harness {
    /// Waits until a process says so in `/readyz`.
    fileprivate func isToBeRebuilt() async throws {
        let sender = try process("apns-sender")
        try await waitUntil { await sender.readiness().contains("carillon rebuild") }
    }
}
