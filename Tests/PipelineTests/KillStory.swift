import PushModel
import TestSupport
import Testing
import Topics

/// Goal: whichever process is killed in the middle of a task, every device ends once, and a provider gets at most the
/// pushes in flight twice. Method: a slow provider, so that every process holds work when it is killed; a kill once
/// some pushes have arrived; a comparison of the report with the simulator's own count.
struct KillStory {
    static let redis = "redis-server"
    static let devices = 3_000
    /// Maximum of pushes in flight in the two senders: their windows.
    private static let inFlightMaximum = 2_000
    /// Pushes that Apple refuses temporarily, so that the scheduler holds work when it is killed.
    private static let refused = 200
    private static let refusal = "TooManyRequests"

    let harness: Harness

    init(_ harness: Harness) async throws {
        self.harness = harness
        _ = try await harness.ingest.register(TestDevice.mixture(KillStory.devices))
        try await harness.slowProviders()
    }

    func kill(_ victim: String) async throws {
        try await harness.simulator.admin("DELETE", "/stats")
        if victim == "scheduler" { try await refuseSome() }
        let task = try await harness.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"There"}}"#)
        switch victim {
        case KillStory.redis:
            try await harness.hasDelivered(300)
            await harness.redis.kill9()
            try await harness.redis.restart()
        case "scheduler":
            try await waitUntil { try await harness.faults(KillStory.refusal) == KillStory.refused }
            try await harness.killAndRestart(victim)
        default:
            try await harness.hasDelivered(victim == "ingest-api" ? 1 : 300)
            try await harness.killAndRestart(victim)
        }
        try await everybodyWasReached(by: task, victim)
        let holdsPushes = victim.hasSuffix("-sender") || victim == KillStory.redis
        #expect(try await harness.sum("repeated") <= (holdsPushes ? KillStory.inFlightMaximum : 0), "\(victim)")
    }

    /// Publishers that chose at_most_once get unknown instead of a repeat.
    func killSendersOfWhatMustNotBeRepeated() async throws {
        try await harness.simulator.admin("DELETE", "/stats")
        let task = try await harness.ingest.post(
            #"{"audience":{"topic":"news"},"message":{"body":"There"},"options":{"ambiguous":"at_most_once"}}"#)
        try await harness.hasDelivered(300)
        for sender in ["apns-sender", "android-sender"] { try await harness.killAndRestart(sender) }
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.targeted == KillStory.devices)
        #expect(report[.delivered] + report[.unknown] == KillStory.devices)
        #expect(report[.unknown] > 0)
        #expect(try await harness.sum("repeated") == 0)
        #expect(try await harness.delivered() == harness.sum("distinct_devices"))
        #expect(try await harness.delivered() >= report[.delivered])
    }

    private func refuseSome() async throws {
        let (reason, count) = (KillStory.refusal, KillStory.refused)
        let fault = #"{"provider":"apns","kind":"answer","status":429,"reason":"\#(reason)","next":\#(count)}"#
        #expect(try await harness.simulator.admin("POST", "/faults", body: fault).status == 201)
    }

    private func everybodyWasReached(by task: TaskID, _ victim: String) async throws {
        let report = try #require(await harness.reports.report(of: task), "\(victim): \(harness.lines)")
        #expect(report.targeted == KillStory.devices, "\(victim)")
        #expect(report[.delivered] == KillStory.devices, "\(victim)")
        #expect(Set(harness.reports.all(of: task).map(\.id)).count == 1, "\(victim)")
        let (taken, distinct) = (try await harness.delivered(), try await harness.sum("distinct_devices"))
        #expect(distinct == KillStory.devices, "\(victim)")
        // Each repeat was recognized: by its apns-id at Apple, by the task id elsewhere.
        #expect(try await harness.sum("repeated") == taken - distinct, "\(victim)")
    }
}
