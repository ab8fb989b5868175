import RedisClient

/// Memory and CPU time that a Redis server reports.
struct RedisReading: Sendable {
    let memoryBytes: Double
    let cpuSeconds: Double

    init(_ client: RedisClient) async throws {
        let info = try await RedisInfo(client)
        memoryBytes = try info.number("used_memory")
        cpuSeconds = try info.number("used_cpu_user") + info.number("used_cpu_sys")
    }
}
