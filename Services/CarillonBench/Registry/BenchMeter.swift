import RedisClient
import ServiceKit

/// Resources that this process and Redis use for a piece of work.
struct BenchMeter: Sendable {
    struct Reading: Sendable {
        let seconds: Double
        let cpuSeconds: Double
        let redisCPUSeconds: Double
        let memoryBytesPeak: Int

        func figures(_ name: String, per unit: Int, of count: Int) -> [BenchFigure] {
            let scale = Double(unit) / Double(count)
            return [
                BenchFigure(name: "\(name).cpu", value: cpuSeconds * scale, unit: "CPU-seconds/\(unit)"),
                BenchFigure(name: "\(name).redis_cpu", value: redisCPUSeconds * scale, unit: "CPU-seconds/\(unit)"),
                BenchFigure(name: "\(name).memory_peak", value: Double(memoryBytesPeak) / 1e6, unit: "MB"),
            ]
        }
    }

    private let client: RedisClient
    private let start: Usage
    private let redis: RedisReading

    init(_ client: RedisClient) async throws {
        self.client = client
        redis = try await RedisReading(client)
        start = Usage.now
    }

    func read() async throws -> Reading {
        let used = Usage.now - start
        let now = try await RedisReading(client)
        return Reading(
            seconds: used.seconds, cpuSeconds: used.cpuSeconds, redisCPUSeconds: now.cpuSeconds - redis.cpuSeconds,
            memoryBytesPeak: used.memoryBytesPeak)
    }
}
