import Apps
import PushModel
import ServiceKit
import TestSupport
import Testing

/// A running `ingest-api` with one app, `news`, in which callers on loopback register without a key.
final class IngestProcess: Sendable {
    let port = FreePort.next()
    private let adminPort = FreePort.next()
    private let redis: String
    private let folder = TemporaryDirectory("apps")
    private let process: Monitor<ChildProcess>

    init(redis: String) async throws {
        self.redis = redis
        let editor = AppEditor(AppsConfiguration(folder: folder.path), now: SystemTimeSource().now)
        _ = try editor.add(try AppID("news"), scopes: [.register], allowing: [try AddressRange("127.0.0.0/8")])
        let environment = IngestProcess.environment(redis, port, adminPort, folder.path)
        process = Monitor(try ChildProcess(builtExecutable("ingest-api"), environment: environment))
        try await listens()
    }

    /// A crash, and a new start on the same ports.
    func killAndRestart() async throws {
        let former = process.withLock { $0 }
        former.signal(9)
        #expect(await former.end() == .signalled(9))
        let environment = IngestProcess.environment(redis, port, adminPort, folder.path)
        let next = try ChildProcess(builtExecutable("ingest-api"), environment: environment)
        process.change { $0 = next }
        try await listens()
    }

    func stop() async -> ChildProcess.Ending? {
        let current = process.withLock { $0 }
        current.signal(15)
        return await current.end()
    }

    /// What `curl -d FORM URL` sends, or another method's request without a body.
    func curl(_ method: String, _ path: String, _ body: String = "", json: Bool = false) async throws
        -> RawClient.Response
    {
        try await IngestProcess.send(method, path, body, json: json, to: port)
    }

    func readiness() async throws -> RawClient.Response {
        try await IngestProcess.send("GET", "/readyz", "", json: false, to: adminPort)
    }

    private func listens() async throws {
        let current = process.withLock { $0 }
        let text = "\"port\":\"\(port)\""
        _ = try #require(await current.line { $0.contains(text) }, "\(current.lines)")
    }

    private static func environment(
        _ redis: String, _ port: UInt16, _ adminPort: UInt16, _ apps: String
    ) -> [String: String] {
        EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }.merging([
            "CARILLON_BUS": redis, "CARILLON_INGEST_PORT": "\(port)", "CARILLON_ADMIN_PORT": "\(adminPort)",
            "CARILLON_APPS": apps, "CARILLON_REDIS_COMMAND_DEADLINE": "2s",
        ]) { $1 }
    }

    private static func send(
        _ method: String, _ path: String, _ body: String, json: Bool, to port: UInt16
    ) async throws -> RawClient.Response {
        let type = json ? "application/json" : "application/x-www-form-urlencoded"
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"
        if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\nContent-Type: \(type)\r\n" }
        let request = head + "\r\n" + body
        let response = await blocking {
            let client = RawClient(port: port)
            client.send(request)
            return client.receiveResponse()
        }
        return try #require(response)
    }
}
