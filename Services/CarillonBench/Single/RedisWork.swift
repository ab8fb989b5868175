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
        let text = try await client.send(RedisCommand("INFO", "everything")).string ?? ""
        let lines = text.split(whereSeparator: \.isNewline)
        func field(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix(name + ":") }.map { $0.dropFirst(name.count + 1) }
        }
        guard let memory = field("used_memory").flatMap({ Double($0) }),
            let log = field("aof_current_size").flatMap({ Double($0) }),
            let scripts = field("cmdstat_evalsha")?.split(separator: ","),
            let calls = RedisWork.value("calls", scripts),
            let microseconds = RedisWork.value("usec", scripts)
        else { throw BenchError("redis-server does not report its memory, its log and its scripts") }
        self.calls = calls
        self.microseconds = microseconds
        logBytes = log
        memoryBytes = memory - (try await RedisWork.streamBytes(client))
    }

    private static func value(_ name: String, _ fields: [Substring]) -> Double? {
        fields.first { $0.hasPrefix(name + "=") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    private static func streamBytes(_ client: RedisClient) async throws -> Double {
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
