import ServiceKit
import TestSupport
import Testing
import Topics

@Suite struct AdminPortTests {
    /// Goal: a running service is alive, ready, and has metrics. Method: the metrics are read with a strict parser
    /// after one message was handled.
    @Test func aRunningServiceAnswers() async throws {
        let server = try await TestBus.durableRedis()
        let probe = try ProbeService(bus: server.url)
        try await TestBus.send("hello", to: probe.topic, at: server.url)
        try await probe.printed("handled hello")
        let ready = try await probe.get("/readyz")
        #expect(ready.status == 200, "\(ready.text)")
        #expect(try await probe.get("/healthz").status == 200)

        let response = try await probe.get("/metrics")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let metrics = try PrometheusText(response.text)
        let labels = ["topic": probe.topic.declaration.name, "group": "probes"]
        #expect(metrics.value("carillon_bus_assigned_partitions", labels: labels) == 1)
        #expect(
            metrics.value("carillon_build_info", labels: ["service": "bus-probe", "version": CarillonVersion.current])
                == 1)
        #expect(metrics.families.contains { $0.name == "carillon_redis_command_duration_seconds" })

        probe.process.signal(15)
        #expect(await probe.process.end() == .exited(0))
    }

    @Test func aTakenPortIsAClearFailure() async throws {
        let server = try await TestBus.durableRedis()
        let first = try ProbeService(bus: server.url)
        let port = try await first.adminPort()
        let second = try ProbeService(bus: server.url, topic: first.topic, settings: ["CARILLON_ADMIN_PORT": "\(port)"])
        #expect(await second.process.end() == .exited(1))
        let reason = try await second.logged("stopped after a failure")["error"]
        #expect(reason?.contains("cannot listen on 127.0.0.1 port \(port): Address already in use") == true)
        #expect(try await first.get("/healthz").status == 200)
    }
}
