import ServiceKit
import TestSupport

/// One service of the harness, as a process that can be killed and restarted with the same settings.
final class ServiceProcess: Sendable {
    let name: String
    /// Public port of `ingest-api` or `event-stream`.
    let port = FreePort.next()
    private let adminPort = FreePort.next()
    private let settings: [String: String]
    private let process: Monitor<ChildProcess?>

    init(_ name: String, settings: [String: String]) {
        self.name = name
        self.settings = settings.merging([
            "CARILLON_ADMIN_PORT": "\(adminPort)", "CARILLON_INGEST_PORT": "\(port)",
            "CARILLON_STREAM_PORT": "\(port)",
        ]) { $1 }
        process = Monitor(nil)
    }

    /// Returns once the service is running, or once its public port is open.
    func start() async throws {
        let child = try ChildProcess.service(name, settings: settings)
        process.change { $0 = child }
        let sign =
            switch name {
            case "ingest-api": "\"server\":\"ingest\""
            case "event-stream": "\"server\":\"stream\""
            default: "\"message\":\"running\""
            }
        guard await child.line(where: { $0.contains(sign) }) != nil else {
            throw SetupError(description: "\(name) did not start: \(child.lines.suffix(10))")
        }
    }

    func kill() async {
        guard let child = process.withLock({ $0 }) else { return }
        child.signal(9)
        _ = await child.end()
    }

    /// Sends SIGTERM; returns how the process ended.
    func stop() async -> ChildProcess.Ending? {
        guard let child = process.withLock({ $0 }) else { return nil }
        child.signal(15)
        return await child.end()
    }

    /// Value of a metric for a topic that the service reads.
    func value(_ metric: String, of channel: String) async throws -> Int {
        guard let response = await get("/metrics") else {
            throw SetupError(description: "\(name) returned no metrics")
        }
        return Int(try PrometheusText(response.text).value(metric, labels: ["topic": channel, "group": name]) ?? 0)
    }

    /// Response of `/readyz`; empty if there is none.
    func readiness() async -> String {
        await get("/readyz")?.text ?? ""
    }

    private func get(_ path: String) async -> RawClient.Response? {
        await blocking { [adminPort] in
            let client = RawClient(port: adminPort)
            client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client.receiveResponse()
        }
    }

    /// Its last log lines, for a failing test.
    var lines: [String] { process.withLock { $0 }?.lines.suffix(5) ?? [] }
}
