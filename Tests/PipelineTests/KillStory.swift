import PushModel
import TestSupport
import Testing
import Topics

/// Goal: whatever is killed in the middle of a task, every device ends once, and what a provider sees twice is at most what
/// was under way. Method: a slow provider, so that every process holds work when it dies; a kill once some pushes have
/// arrived; a look at the report and at the simulator's own count.
struct KillStory {
    static let redis = "redis-server"
    static let devices = 3_000
    /// What the two senders may have had under way: their windows.
    private static let inFlightMaximum = 2_000
    /// What Apple refuses for now, so that the scheduler holds something when it dies.
    private static let refused = 200
    private static let refusal = "TooManyRequests"

    let house: Harness

    init(_ house: Harness) async throws {
        self.house = house
        _ = try await house.ingest.register(TestDevice.mixture(KillStory.devices))
        try await house.slowProviders()
    }

    func kill(_ victim: String) async throws {
        try await house.simulator.admin("DELETE", "/stats")
        if victim == "scheduler" { try await refuseSome() }
        let task = try await house.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"There"}}"#)
        switch victim {
        case KillStory.redis:
            try await house.hasDelivered(300)
            await house.redis.kill9()
            try await house.redis.restart()
        case "scheduler":
            try await waitUntil { try await house.faults(KillStory.refusal) == KillStory.refused }
            try await house.killAndRestart(victim)
        default:
            try await house.hasDelivered(victim == "ingest-api" ? 1 : 300)
            try await house.killAndRestart(victim)
        }
        try await everybodyWasReached(by: task, victim)
        let holdsPushes = victim.hasSuffix("-sender") || victim == KillStory.redis
        #expect(try await house.sum("repeated") <= (holdsPushes ? KillStory.inFlightMaximum : 0), "\(victim)")
    }

    /// Who asked for that rather hears that nobody knows.
    func killSendersOfWhatMustNotBeRepeated() async throws {
        try await house.simulator.admin("DELETE", "/stats")
        let task = try await house.ingest.post(
            #"{"audience":{"topic":"news"},"message":{"body":"There"},"options":{"ambiguous":"at_most_once"}}"#)
        try await house.hasDelivered(300)
        for sender in ["apns-sender", "android-sender"] { try await house.killAndRestart(sender) }
        let report = try #require(await house.reports.report(of: task, within: .seconds(240)), "\(house.lines)")
        #expect(report.targeted == KillStory.devices)
        #expect(report[.delivered] + report[.unknown] == KillStory.devices)
        #expect(report[.unknown] > 0)
        #expect(try await house.sum("repeated") == 0)
        #expect(try await house.delivered() == house.sum("distinct_devices"))
        #expect(try await house.delivered() >= report[.delivered])
    }

    private func refuseSome() async throws {
        let (reason, count) = (KillStory.refusal, KillStory.refused)
        let fault = #"{"provider":"apns","kind":"answer","status":429,"reason":"\#(reason)","next":\#(count)}"#
        #expect(try await house.simulator.admin("POST", "/faults", fault).status == 201)
    }

    private func everybodyWasReached(by task: TaskID, _ victim: String) async throws {
        let report = try #require(
            await house.reports.report(of: task, within: .seconds(240)), "\(victim): \(house.lines)")
        #expect(report.targeted == KillStory.devices, "\(victim)")
        #expect(report[.delivered] == KillStory.devices, "\(victim)")
        #expect(Set(house.reports.all(of: task).map(\.id)).count == 1, "\(victim)")
        let (taken, distinct) = (try await house.delivered(), try await house.sum("distinct_devices"))
        #expect(distinct == KillStory.devices, "\(victim)")
        // Each repeat was recognised as one: by its apns-id at Apple, by the task's id elsewhere.
        #expect(try await house.sum("repeated") == taken - distinct, "\(victim)")
    }
}
