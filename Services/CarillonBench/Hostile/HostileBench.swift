import CommandKit
import HTTPServer
import ServiceKit

/// Attacks during all pushes, and their effect on the pushes.
struct HostileBench {
    /// Memory limit of ingest-api in compose and in the chart.
    private static let memoryBytes = 256 << 20
    private static let keyWait = Duration.seconds(30)

    let devices: Int

    func run(say: @escaping @Sendable (String) -> Void) async throws -> [BenchFigure] {
        let bounds = HTTPServerConfiguration.fitting(memoryBytes: HostileBench.memoryBytes)
        let harness = try await LocalHarness(
            memory: "4GiB",
            variables: [
                "CARILLON_INGEST_CONNECTIONS_MAX": "\(bounds.connectionsMaximum)",
                "CARILLON_INGEST_BODIES_MAX": "\(bounds.bodiesBytesMaximum)",
                "CARILLON_INGEST_PROXIES": "127.0.0.1",
            ])
        let http = LocalHTTP()
        do {
            let key = try await harness.addApp("hostile", scope: "publish")
            try await isKnown(key, harness: harness, http: http)
            let crowd = try HostileCrowd(url: harness.url, key: key)
            let bench = PipelineBench(devices: devices, harness: harness, http: http, say: say)
            let latencies = try await bench.latenciesBesideBroadcast { crowd.start() }
            let attacks = await crowd.stop()
            await http.close()
            return try figures(latencies, attacks: attacks, harness: harness)
        } catch {
            await http.close()
            throw error
        }
    }

    private func figures(
        _ latencies: [Double], attacks: HostileCrowd.Tally, harness: LocalHarness
    ) throws -> [BenchFigure] {
        let api = try harness.usage().first { $0.name == "ingest-api" }
        return [
            BenchFigure(name: "hostile.push.p50", value: latencies.percentile(50), unit: "ms"),
            BenchFigure(name: "hostile.push.p99", value: latencies.percentile(99), unit: "ms"),
            BenchFigure(name: "hostile.push.count", value: Double(latencies.count), unit: "pushes"),
            BenchFigure(name: "hostile.connections", value: Double(attacks.connections), unit: "connections"),
            BenchFigure(name: "hostile.requests", value: Double(attacks.requests), unit: "requests"),
            BenchFigure(name: "hostile.restarts", value: Double(harness.programsEnded), unit: "programs"),
            BenchFigure(
                name: "hostile.memory_peak", value: Double(api?.memoryBytesPeak ?? 0) / 1e6, unit: "MB",
                ratio: Double(api?.memoryBytesPeak ?? 0) / Double(HostileBench.memoryBytes)),
        ]
    }

    /// Waits until the service has reloaded the app files, which it does every few seconds.
    private func isKnown(_ key: String, harness: LocalHarness, http: LocalHTTP) async throws {
        let time = SystemTimeSource()
        let deadline = time.uptime + HostileBench.keyWait
        while true {
            do {
                _ = try await http.post(
                    "\(harness.url)/v1/tasks?dry_run=true", body: #"{"users":["nobody"],"message":{"body":"x"}}"#,
                    type: "application/json", key: Secret(key))
                return
            } catch {
                guard time.uptime < deadline else { throw error }
                try await time.sleep(for: .milliseconds(100))
            }
        }
    }
}
