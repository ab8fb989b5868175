import RedisClient
import ServiceKit
import TestSupport
import Testing

@Suite struct RedisClientTests {
    @Test func setsAndGetsBytesOfEveryValue() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try await client.send(RedisCommand("SET", "key", RedisArgument(bytes))) == .status("OK"))
        #expect(try await client.send(RedisCommand("GET", "key")).bytes == bytes)
        await client.close()
    }

    @Test func aPipelineIsAnsweredInOrder() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let commands = (0..<1000).map { _ in RedisCommand("INCR", "counter") }
        let numbers = await client.send(commands).map { try? $0.get().integer }
        #expect(numbers == (1...1000).map { $0 })
    }
}

extension RedisServer {
    func client(_ change: (inout RedisConfiguration) -> Void = { _ in }) throws -> RedisClient {
        var configuration = try RedisConfiguration(url: url)
        change(&configuration)
        return RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
    }
}
