import Apps
import TestSupport
import Testing

@testable import ingest_api

/// Bodies that are made to cost much, at every operation that takes one, with a key that may do everything.
@Suite(.timeLimit(.minutes(10)), .serialized) struct HostileDocumentTests {
    /// The bounds of the service: beyond a constant, what a request costs follows from its size.
    private static let cpuSecondsPerByte = 50e-6
    private static let memoryBytesPerByte = 40
    /// Six kilobytes with variables in 127 languages are rendered in 0.35 s, unoptimized, and in 0.6 s beside other work.
    private static let cpuSecondsAlways = 0.5
    private static let memoryBytesAlways = 2 << 20

    /// Goal: a small request cannot stop the service. Method: each document is posted to a process that has answered
    /// nothing else of its size, and what the process uses is read from the kernel.
    @Test func noDocumentCostsMoreThanItsSizeAllows() async throws {
        let redis = try await RedisServer()
        let api = try await IngestProcess(
            redis: redis.url, scopes: [.register, .publish, .broadcast, .read, .admin], richie: "example")
        for document in HostileDocument.all {
            let cost = try ProcessCost(of: api.processID)
            let response = await api.post(document.path, document.type, document.body)
            let cpu = try cost.cpuSeconds
            let memory = try cost.memoryBytes
            let count = document.body.count
            let status = try #require(response?.status, "\(document.name) ended the service")
            #expect(200...499 ~= status, "\(document.name)")
            #expect(
                cpu <= Self.cpuSecondsAlways + Self.cpuSecondsPerByte * Double(count),
                "\(document.name): \(cpu) s for \(count) bytes")
            #expect(
                memory <= Self.memoryBytesAlways + Self.memoryBytesPerByte * count,
                "\(document.name): \(memory) bytes for \(count)")
            #expect((response?.body.count ?? 0) < 64 << 10, "\(document.name): the answer is bounded")
            try await api.killAndRestart()
        }
    }
}
