import Bus
import HTTPServer
import ServiceKit
import TestSupport
import Testing

@testable import IngestAPI

/// `GET /status`, as load balancers of pushd ask it.
@Suite struct ServiceStatusTests {
    @Test func needsNoKey() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("GET", "/status", headers: ["Authorization": ""])
            #expect(response.status == 204)
            #expect(response.body.isEmpty)
        }
    }

    /// Goal: a flood of requests costs one check a second. Method: a check that counts itself and then fails.
    @Test func checksOnceASecond() async throws {
        let time = ManualTimeSource()
        let health = Health(time: time)
        let checks = Monitor(0)
        health.addReadinessCheck("test") {
            checks.change { $0 += 1 }
            return checks.withLock { $0 } == 1 ? .ready : .notReady("test")
        }
        let environment = WorkerEnvironment(
            time: time, random: SeededRandomSource(seed: 1), log: Log(service: "test", sink: CollectingSink()),
            metrics: Metrics(), health: health)
        let status = ServiceStatus(environment)
        for _ in 0..<10 { #expect(await status.answer().status == .noContent) }
        #expect(checks.withLock { $0 } == 1)
        time.advance(by: ServiceStatus.interval)
        for _ in 0..<10 { #expect(await status.answer().status == .serviceUnavailable) }
        #expect(checks.withLock { $0 } == 2)
    }
}
