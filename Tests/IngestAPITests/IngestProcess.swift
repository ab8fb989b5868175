import Apps
import Glibc
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

/// A running `ingest-api` with one app, `news`, in which callers on loopback register and publish without a key.
final class IngestProcess: Sendable {
    let port = FreePort.next()
    /// Nil unless it receives events over UDP.
    let datagramPort: UInt16?
    private let adminPort = FreePort.next()
    private let settings: [String: String]
    private let folder: TemporaryDirectory
    private let process: Monitor<ChildProcess>

    /// `bus` defaults to the registry's Redis; `other` is another process of the same installation, whose app file and
    /// pepper this one reads; an empty `kafkaSession` keeps the service's default.
    init(
        redis: String, bus: String? = nil, idempotencyLease: String = "15s", kafkaSession: String = "6000",
        scopes: Set<Scope> = [.register, .publish, .read], richie: String? = nil,
        appmetrica: Int64? = nil, contextpush: String? = nil, devices: Int? = nil,
        receivesDatagrams: Bool = false, beside other: IngestProcess? = nil
    ) async throws {
        folder = other?.folder ?? TemporaryDirectory("apps")
        datagramPort = receivesDatagrams ? FreePort.next() : nil
        var settings = [
            "CARILLON_INGEST_IDEMPOTENCY_LEASE": idempotencyLease,
            "CARILLON_BUS": bus ?? redis, "CARILLON_REDIS": redis, "CARILLON_APPS": folder.path,
            "CARILLON_INGEST_PORT": "\(port)", "CARILLON_ADMIN_PORT": "\(adminPort)",
            "CARILLON_REDIS_COMMAND_DEADLINE": "2s", "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10",
            "CARILLON_KAFKA_SESSION_TIMEOUT_MS": kafkaSession, "CARILLON_KAFKA_HEARTBEAT_INTERVAL_MS": "200",
        ]
        settings["CARILLON_INGEST_UDP"] = datagramPort.map { "\($0)" }
        self.settings = settings
        if other == nil {
            let editor = AppEditor(AppsConfiguration(folder: folder.path), now: SystemTimeSource().now)
            _ = try editor.add(try AppID("news"), scopes: scopes, allowing: [try AddressRange("127.0.0.0/8")])
        }
        if let richie { try IngestProcess.add("identifiers", [("richie", .array([.string(richie)]))], to: folder) }
        if let appmetrica {
            try IngestProcess.add("identifiers", [("appmetrica", .array([.integer(appmetrica)]))], to: folder)
        }
        if let contextpush {
            try IngestProcess.add("identifiers", [("contextpush", .array([.string(contextpush)]))], to: folder)
        }
        if let devices { try IngestProcess.add("limits", [("devices", .integer(Int64(devices)))], to: folder) }
        process = Monitor(try IngestProcess.start(settings))
        try await listens()
    }

    /// Adds a field to the app file, before the process is started.
    private static func add(
        _ field: String, _ members: [(name: String, value: JSON)], to folder: TemporaryDirectory
    ) throws {
        let file = folder.file("news.json")
        let bytes = try #require(SmallFile.read(file, bytesMaximum: 1 << 18))
        var app = try #require(try JSON(bytes).object)
        app[field] = .object(JSONObject(members))
        folder.write("news.json", content: JSON.object(app).indentedText)
    }

    var processID: pid_t { process.withLock { $0.processID } }

    /// Simulates a crash, and restarts the service on the same ports.
    func killAndRestart() async throws {
        let former = process.withLock { $0 }
        former.signal(9)
        #expect(await former.end() == .signalled(9))
        let next = try IngestProcess.start(settings)
        process.change { $0 = next }
        try await listens()
    }

    func signal(_ number: Int32) {
        process.withLock { $0 }.signal(number)
    }

    func kill9() async {
        let current = process.withLock { $0 }
        current.signal(9)
        #expect(await current.end() == .signalled(9))
    }

    /// Waits for a log line with this message.
    func logged(_ message: String) async throws {
        let current = process.withLock { $0 }
        let text = "\"message\":\"\(message)\""
        _ = try #require(await current.line { $0.contains(text) }, "\(current.lines)")
    }

    func stop() async -> ChildProcess.Ending? {
        let current = process.withLock { $0 }
        current.signal(15)
        return await current.end()
    }

    /// Sends what `curl -d FORM URL` sends, or another method's request without a body.
    func curl(
        _ method: String, _ path: String, body: String = "", json: Bool = false, headers: [String: String] = [:]
    ) async throws -> RawClient.Response {
        try #require(
            await IngestProcess.send(method, path, body: body, json: json, headers: headers, to: port))
    }

    /// `curl`, repeated, as clients do, while the answer is 503: over Kafka, a change ends at the journal's time limit
    /// while the projector's partitions move. The record of such an attempt may be applied later, so the answer may be
    /// that of a repetition.
    func settledCurl(
        _ method: String, _ path: String, body: String = "", json: Bool = false
    ) async throws -> RawClient.Response {
        var answer = try await curl(method, path, body: body, json: json)
        _ = try await waitUntil(within: .hangLimit) {
            guard answer.status == 503 else { return true }
            answer = try await curl(method, path, body: body, json: json)
            return false
        }
        return answer
    }

    /// Returns nil if the service crashes.
    func post(_ path: String, type: String, body: [UInt8]) async -> RawClient.Response? {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\nContent-Type: \(type)\r\n\r\n"
        return await blocking { [port] in
            let client = RawClient(port: port, patience: .seconds(300))
            client.send(Array(head.utf8) + body)
            return client.receiveResponse()
        }
    }

    /// Sends JSON, on a connection that gets the answer. Blocks.
    func begin(_ method: String, _ path: String, body: String, headers: [String: String]) -> RawClient {
        IngestProcess.begin(method, path, body: body, json: true, headers: headers, to: port)
    }

    func readiness() async throws -> RawClient.Response {
        try #require(await IngestProcess.send("GET", "/readyz", body: "", json: false, to: adminPort))
    }

    func metrics() async throws -> String {
        try #require(await IngestProcess.send("GET", "/metrics", body: "", json: false, to: adminPort)).text
    }

    private func listens() async throws {
        let current = process.withLock { $0 }
        let text = "\"port\":\"\(port)\""
        _ = try #require(await current.line { $0.contains(text) }, "\(current.lines)")
    }

    private static func start(_ settings: [String: String]) throws -> ChildProcess {
        return try ChildProcess.service("ingest-api", settings: settings)
    }

    private static func send(
        _ method: String, _ path: String, body: String, json: Bool, headers: [String: String] = [:],
        to port: UInt16
    ) async -> RawClient.Response? {
        await blocking {
            begin(method, path, body: body, json: json, headers: headers, to: port).receiveResponse()
        }
    }

    private static func begin(
        _ method: String, _ path: String, body: String, json: Bool, headers: [String: String], to port: UInt16
    ) -> RawClient {
        let type = json ? "application/json" : "application/x-www-form-urlencoded"
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"
        if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\nContent-Type: \(type)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let client = RawClient(port: port)
        client.send(head + "\r\n" + body)
        return client
    }
}
