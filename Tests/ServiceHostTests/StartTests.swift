import ServiceKit
import TestSupport
import Testing
import Topics

/// A dependency may start later than the service, or be misconfigured: the service waits and reports the reason.
@Suite struct StartTests {
    @Test func waitsForRedisAndGetsReady() async throws {
        let server = try await TestBus.durableRedis()
        await server.stop()
        let probe = try ProbeService(bus: server.url)
        #expect(try await probe.logged("waiting for the bus")["error"]?.contains("127.0.0.1:\(server.port)") == true)
        let away = try await probe.get("/readyz")
        #expect(away.status == 503)
        #expect(away.text.contains("bus: Redis does not answer: not sent to 127.0.0.1:\(server.port)"))
        #expect(away.text.contains("Connection refused"), "\(away.text)")
        #expect(try await probe.get("/healthz").status == 200)

        try await server.restart()
        try await TestBus.send("hello", to: probe.topic, at: server.url)
        try await probe.printed("handled hello")
        let back = try await probe.get("/readyz")
        #expect(back.status == 200, "\(back.text)")
    }

    @Test func aRedisThatForgetsIsNotReady() async throws {
        let server = try await RedisServer()
        let probe = try ProbeService(bus: server.url)
        _ = try await probe.logged("running")
        let response = try await probe.get("/readyz")
        #expect(response.status == 503)
        #expect(response.text.contains("set appendonly yes, appendfsync always"))
    }

    /// Goal: a service that waits for Redis stops without delay. Method: a drain deadline of minutes, of which nothing
    /// may be used.
    @Test func stopsWhileItWaits() async throws {
        let server = try await TestBus.durableRedis()
        await server.stop()
        let probe = try ProbeService(
            bus: server.url, topic: TestTopics.make(), settings: ["CARILLON_DRAIN_DEADLINE": "5m"])
        _ = try await probe.logged("waiting for the bus")
        probe.process.signal(15)
        #expect(await probe.process.end(within: .hangLimit) == .exited(0))
        _ = try await probe.logged("stopped")
    }

    @Test func worksOverKafka() async throws {
        let server = try await KafkaMockServer()
        let topic = TestTopics.make(partitions: 1)
        try await server.perform("create topic \(topic.declaration.name) 1")
        let probe = try ProbeService(bus: server.url, topic: topic)
        try await TestBus.send("hello", to: topic, at: server.url)
        try await probe.printed("handled hello")
        let ready = try await probe.get("/readyz")
        #expect(ready.status == 200, "\(ready.text)")
        _ = try PrometheusText(try await probe.get("/metrics").text)
        probe.process.signal(15)
        #expect(await probe.process.end() == .exited(0))
        expectOnlyJSON(probe)
    }

    @Test func anUnreachableKafkaIsAReason() async throws {
        let probe = try ProbeService(bus: "kafka://127.0.0.1:\(FreePort.next())")
        let response = try await probe.get("/readyz")
        #expect(response.status == 503)
        #expect(response.text.contains("bus: Kafka does not answer: "), "\(response.text)")
        probe.process.signal(15)
        #expect(await probe.process.end() == .exited(0))
        expectOnlyJSON(probe)
    }

    private func expectOnlyJSON(_ probe: ProbeService) {
        for line in probe.logLines { #expect(ProbeService.members(of: line) != nil, "\(line)") }
    }
}
