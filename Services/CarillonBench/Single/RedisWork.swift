import RedisClient
import ServiceKit

/// What Redis has done, and what it keeps.
struct RedisWork: Sendable {
    /// Of scripts, with the commands inside.
    let calls: Double
    let microseconds: Double
    let logBytes: Double
    /// Without the streams of the bus, whose length is bounded.
    let memoryBytes: Double

    init(_ client: RedisClient) async throws {
        let info = try await RedisInfo(client, section: "everything")
        calls = try info.number("calls", ofCommand: "evalsha")
        microseconds = try info.number("usec", ofCommand: "evalsha")
        logBytes = try info.number("aof_current_size")
        memoryBytes = try await info.number("used_memory") - RedisWork.streamBytes(client)
    }

    static func streamBytes(_ client: RedisClient) async throws -> Double {
        var sum = 0.0
        var cursor = "0"
        repeat {
            let reply = try await client.send(
                RedisCommand("SCAN", RedisArgument(cursor), "COUNT", 10_000, "TYPE", "stream"))
            guard let parts = reply.array, parts.count == 2, let next = parts[0].string, let keys = parts[1].array
            else {
                throw BenchError("redis-server does not list its keys")
            }
            cursor = next
            for key in keys.compactMap(\.string) {
                let size = try await client.send(RedisCommand("MEMORY", "USAGE", RedisArgument(key), "SAMPLES", 0))
                sum += Double(size.integer ?? 0)
            }
        } while cursor != "0"
        return sum
    }
}
