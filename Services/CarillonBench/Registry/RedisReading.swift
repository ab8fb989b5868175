import RedisClient

/// Memory and CPU time that a Redis server reports.
struct RedisReading: Sendable {
    let memoryBytes: Double
    let cpuSeconds: Double

    init(_ client: RedisClient) async throws {
        let text = try await client.send(RedisCommand("INFO")).string ?? ""
        func number(_ name: String) throws -> Double {
            guard let line = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix(name + ":") }),
                let value = Double(line.dropFirst(name.count + 1))
            else { throw BenchError("redis-server does not report \(name)") }
            return value
        }
        memoryBytes = try number("used_memory")
        cpuSeconds = try number("used_cpu_user") + number("used_cpu_sys")
    }
}
