import CommandKit
import Glibc
import ServiceKit

/// Registrations over HTTP, as an app's devices send them, to a local ingest-api with durable writes.
struct RegistrationBench {
    private static let clients = 32
    let devices: Int

    func run() async throws -> [BenchFigure] {
        let server = try await LocalRedis()
        let bare = try await RedisBenchmark.rate(
            port: server.port, clients: RegistrationBench.clients, pipeline: 1,
            ["HSET", "bare:__rand_int__", "field", String(repeating: "x", count: 128)])
        let api = try await LocalIngest(bus: server.url, scope: "register")
        return try await server.withClient { client in
            let meter = try await BenchMeter(client)
            let seconds = try await RegistrationLoad(
                port: api.port, key: api.key, threads: RegistrationBench.clients, devices: 0..<devices
            ).run()
            let redis = try await meter.read().redisCPUSeconds
            let usage = try api.usage()
            let scale = 100_000 / Double(devices)
            return [
                BenchFigure(
                    name: "registry.register.rate", value: Double(devices) / seconds, unit: "registrations/s",
                    ratio: Double(devices) / seconds / bare),
                BenchFigure(
                    name: "registry.register.cpu", value: usage.cpuSeconds * scale, unit: "CPU-seconds/100000"),
                BenchFigure(name: "registry.register.redis_cpu", value: redis * scale, unit: "CPU-seconds/100000"),
                BenchFigure(
                    name: "registry.register.memory_peak", value: Double(usage.memoryBytesPeak) / 1e6, unit: "MB"),
            ]
        }
    }
}
