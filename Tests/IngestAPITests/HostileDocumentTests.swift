import Apps
import TestSupport
import Testing

@testable import IngestAPI

/// Bodies designed to be expensive, sent to every operation that takes one, with a key that has every scope.
@Suite(.timeLimit(.minutes(10)), .serialized) struct HostileDocumentTests {
    /// The limits of the service: apart from a constant, the cost of a request is proportional to its size.
    private static let cpuSecondsPerByte = 50e-6
    private static let memoryBytesPerByte = 40
    /// Six kilobytes with variables in 127 languages take 0.35 s to render, unoptimized.
    private static let cpuSecondsAlways = 0.7
    private static let memoryBytesAlways = 2 << 20

    /// Goal: a small request cannot stop the service. Method: each document is posted to a process that has answered no
    /// other of its size, and the kernel's figures give its cost. On a shared machine the same work may take several
    /// times as long, so a document that seems too expensive is posted up to three times.
    @Test func noDocumentCostsMoreThanItsSizeAllows() async throws {
        let redis = try await RedisServer()
        let api = try await IngestProcess(
            redis: redis.url, scopes: [.register, .publish, .broadcast, .read, .admin], richie: "example")
        for document in HostileDocument.all {
            let cpuMaximum = Self.cpuSecondsAlways + Self.cpuSecondsPerByte * Double(document.body.count)
            let memoryMaximum = Self.memoryBytesAlways + Self.memoryBytesPerByte * document.body.count
            var least = try await cost(of: document, to: api)
            for _ in 0..<2 where least.cpuSeconds > cpuMaximum || least.memoryBytes > memoryMaximum {
                let cost = try await cost(of: document, to: api)
                least = (min(least.cpuSeconds, cost.cpuSeconds), min(least.memoryBytes, cost.memoryBytes))
            }
            #expect(least.cpuSeconds <= cpuMaximum, "\(document.name): for \(document.body.count) bytes")
            #expect(least.memoryBytes <= memoryMaximum, "\(document.name): for \(document.body.count) bytes")
        }
    }

    private func cost(
        of document: HostileDocument, to api: IngestProcess
    ) async throws -> (cpuSeconds: Double, memoryBytes: Int) {
        let cost = try ProcessCost(of: api.processID)
        let response = await api.post(document.path, type: document.type, body: document.body)
        let cpuSeconds = try cost.cpuSeconds
        let memoryBytes = try cost.memoryBytes
        let status = try #require(response?.status, "\(document.name) ended the service")
        #expect(200...499 ~= status, "\(document.name)")
        #expect((response?.body.count ?? 0) < 64 << 10, "\(document.name): the answer is bounded")
        try await api.killAndRestart()
        return (cpuSeconds, memoryBytes)
    }
}
