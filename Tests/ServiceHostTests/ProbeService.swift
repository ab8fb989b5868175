import Foundation
import ServiceKit
import TestSupport
import Testing
import Topics

/// A running `BusProbe`: its output and its admin port.
final class ProbeService: Sendable {
    let process: ChildProcess
    let topic: Topic<OpaqueMessage>

    init(
        bus: String, topic: Topic<OpaqueMessage> = TestTopics.make(partitions: 1), settings: [String: String] = [:]
    )
        throws
    {
        self.topic = topic
        var environment = [
            "CARILLON_BUS": bus, "CARILLON_ADMIN_PORT": "0", "CARILLON_BUS_LEASE": "1s",
            "CARILLON_BUS_HEARTBEAT": "100ms", "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10",
            "CARILLON_KAFKA_SESSION_TIMEOUT_MS": "6000", "CARILLON_KAFKA_HEARTBEAT_INTERVAL_MS": "200",
            "PROBE_TOPIC": topic.declaration.name, "PROBE_GROUP": "probes",
            "PROBE_PARTITIONS": "\(topic.declaration.partitions.embedded)",
        ]
        environment.merge(settings) { $1 }
        process = try ProbeService.spawn([], settings: environment)
    }

    static func spawn(_ arguments: [String], settings: [String: String] = [:]) throws -> ChildProcess {
        var environment = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        environment.merge(settings) { $1 }
        return try ChildProcess(builtExecutable("BusProbe"), arguments: arguments, environment: environment)
    }

    /// Waits for a log line with this message; returns its members.
    func logged(_ message: String) async throws -> [String: String] {
        let text = "\"message\":\"\(message)\""
        let line = try #require(await process.line { $0.contains(text) }, "\(message)? \(process.lines)")
        return try #require(ProbeService.members(of: line), "no JSON object: \(line)")
    }

    /// Waits until the probe has printed this line.
    func printed(_ line: String) async throws {
        _ = try #require(await process.line { $0 == line }, "\(line)? \(process.lines)")
    }

    func adminPort() async throws -> UInt16 {
        try #require(UInt16(try await logged("listening")["port"] ?? ""))
    }

    func get(_ path: String) async throws -> RawClient.Response {
        let port = try await adminPort()
        let response = await blocking {
            let client = RawClient(port: port)
            client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return client.receiveResponse()
        }
        return try #require(response)
    }

    /// The log lines, without the output of the handler.
    var logLines: [String] {
        process.lines.filter { $0 != "waiting" && !$0.hasPrefix("handled ") }
    }

    /// Nil unless the line is one JSON object of texts.
    static func members(of line: String) -> [String: String]? {
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: String]
    }
}
