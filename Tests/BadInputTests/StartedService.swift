import Foundation
import ServiceKit
import TestSupport
import Testing

/// A Carillon program, started as by an operator, with its log and its `/readyz`.
final class StartedService: Sendable {
    /// Every service built on `ServiceHost`, `ingest-api` first: it creates the registry that the others wait for.
    static let names = [
        "ingest-api", "targeting-resolver", "renderer", "apns-sender", "android-sender", "web-sender", "scheduler",
        "reporter",
    ]
    /// The services that read the app files.
    static let appReaders = ["ingest-api", "apns-sender", "android-sender", "web-sender", "reporter"]

    let name: String
    let process: ChildProcess

    init(_ name: String, settings: [String: String]) throws {
        self.name = name
        let usual = [
            "CARILLON_ADMIN_PORT": "0", "CARILLON_INGEST_PORT": "0", "CARILLON_APPS_INTERVAL": "100ms",
            "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10", "CARILLON_KAFKA_SESSION_TIMEOUT_MS": "6000",
            "CARILLON_KAFKA_HEARTBEAT_INTERVAL_MS": "200",
        ]
        process = try ChildProcess.service(name, settings: usual.merging(settings) { $1 })
    }

    /// Waits for a past or future line that contains all these texts.
    func prints(_ texts: String...) async -> Bool {
        await process.line { line in texts.allSatisfy { line.contains($0) } } != nil
    }

    /// Polls `/readyz` until the response has this status and these texts.
    func expectReadiness(_ status: Int, texts: String...) async throws {
        let port = try await adminPort()
        var response: RawClient.Response?
        let isSo = try await waitUntil(within: .hangLimit) {
            response = await blocking {
                let client = RawClient(port: port)
                client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return client.receiveResponse()
            }
            return response?.status == status && texts.allSatisfy { response?.text.contains($0) == true }
        }
        #expect(isSo, "\(name) must answer \(status) \(texts): \(response?.status ?? 0) \(response?.text ?? "")")
    }

    /// Sends SIGTERM; the service must stop cleanly.
    func stop() async {
        process.signal(15)
        #expect(await process.end() == .exited(0), "\(name): \(process.lines.suffix(5))")
    }

    private func adminPort() async throws -> UInt16 {
        let line = await process.line { $0.contains(#""message":"listening""#) && $0.contains(#""server":"admin""#) }
        let text = try #require(line, "\(name) has no admin port: \(process.lines)")
        let members = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
        return try #require(members?["port"].flatMap { UInt16($0) })
    }
}

extension [StartedService] {
    /// Runs `body` for all services concurrently.
    func each(_ body: @escaping @Sendable (StartedService) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in self { group.addTask { try await body(service) } }
            try await group.waitForAll()
        }
    }
}
