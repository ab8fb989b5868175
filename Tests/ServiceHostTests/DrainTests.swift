import ServiceKit
import TestSupport
import Testing
import Topics

/// Shutdown from the signal to the end of the process, with a handler in the middle of its work.
@Suite struct DrainTests {
    /// A probe whose handler has started on a message and waits.
    private func working(
        _ server: RedisServer, settings: [String: String] = [:]
    ) async throws -> ProbeService {
        let probe = try ProbeService(bus: server.url, topic: TestTopics.make(partitions: 1), settings: settings)
        try await TestBus.send("wait", to: probe.topic, at: server.url)
        try await probe.printed("waiting")
        return probe
    }

    /// Goal: started work is finished and acknowledged. Method: the partition keeps order, so a message that was not
    /// acknowledged would reach the next probe before the one sent later.
    @Test func finishesWhatItHasBegun() async throws {
        let server = try await TestBus.durableRedis()
        let probe = try await working(server)
        probe.process.signal(15)
        _ = try await probe.logged("stopping")
        let draining = try await probe.get("/readyz")
        #expect(draining.status == 503 && draining.text.contains("shutting down"))
        #expect(try await probe.get("/healthz").status == 200)
        probe.process.send("go on")
        #expect(await probe.process.end() == .exited(0))
        #expect(probe.process.lines.contains("handled wait"))

        try await TestBus.send("later", to: probe.topic, at: server.url)
        let next = try ProbeService(bus: server.url, topic: probe.topic)
        try await next.printed("handled later")
        #expect(!next.process.lines.contains("waiting"))
    }

    @Test func cutsOffAtTheDeadlineAndLosesNothing() async throws {
        let server = try await TestBus.durableRedis()
        let probe = try await working(server, settings: ["CARILLON_DRAIN_DEADLINE": "500ms"])
        probe.process.signal(15)
        #expect(await probe.process.end() == .exited(1))
        let late = "worker probes of \(probe.topic.declaration.name)"
        #expect(try await probe.logged("stopped after a failure")["error"] == "drain deadline exceeded: \(late)")
        #expect(!probe.process.lines.contains("handled wait"))

        let next = try ProbeService(bus: server.url, topic: probe.topic)
        try await next.printed("waiting")
        next.process.send("go on")
        try await next.printed("handled wait")
    }

    @Test(arguments: [2, 15])
    func aSecondSignalEndsAtOnce(number: Int32) async throws {
        let server = try await TestBus.durableRedis()
        let probe = try await working(server, settings: ["CARILLON_DRAIN_DEADLINE": "5m"])
        probe.process.signal(15)
        _ = try await probe.logged("stopping")
        probe.process.signal(number)
        #expect(await probe.process.end() == .exited(128 + number))
    }
}
