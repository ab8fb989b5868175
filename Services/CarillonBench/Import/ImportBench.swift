import CommandKit
import JSONKit
import RedisClient
import ServiceKit

/// An import by `carillon`, as an operator runs it, into a Redis that syncs every write to disk.
struct ImportBench {
    private static let app = "bench"
    private static let clients = 4
    private static let pipeline = 128
    let devices: Int

    func run() async throws -> [BenchFigure] {
        let source = try await LocalRedis(isDurable: false)
        try await source.withClient { try await PushdLayout(client: $0).fill(devices: devices) }
        let server = try await LocalRedis()
        let bare = try await RedisBenchmark.rate(
            port: server.port, clients: ImportBench.clients, pipeline: ImportBench.pipeline,
            ["HSET", "bare:__rand_int__", "field", String(repeating: "x", count: 128)])
        return try await server.withClient { client in
            _ = try await client.send(RedisCommand("FLUSHALL"))
            let before = try await RedisReading(client)
            let report = try await importing(from: source, into: server)
            let after = try await RedisReading(client)
            guard report.count("taken_over") == devices,
                let rate = ImportBench.number("subscribers_per_second", report),
                let cpu = ImportBench.number("cpu_seconds", report),
                let memory = report.count("memory_bytes_peak")
            else { throw BenchError("carillon import: \(report.compactText)") }
            let scale = 100_000 / Double(devices)
            return [
                BenchFigure(name: figure("rate"), value: rate, unit: "subscribers/s", ratio: rate / bare),
                BenchFigure(name: figure("cpu"), value: cpu * scale, unit: "CPU-seconds/100000"),
                BenchFigure(
                    name: figure("redis_cpu"), value: (after.cpuSeconds - before.cpuSeconds) * scale,
                    unit: "CPU-seconds/100000"),
                BenchFigure(name: figure("memory_peak"), value: Double(memory) / 1e6, unit: "MB"),
            ]
        }
    }

    private func importing(from source: LocalRedis, into server: LocalRedis) async throws -> JSON {
        let folder = try LocalFolder("apps")
        let variables = ["CARILLON_BUS": server.url, "CARILLON_APPS": folder.path]
        let carillon = try SiblingProgram("carillon")
        let adding = try carillon.start(["apps", "add", ImportBench.app], variables: variables)
        guard await adding.end() == .exited(0) else {
            throw BenchError("carillon apps add: \(adding.lines.joined(separator: " "))")
        }
        let process = try carillon.start(
            ["import", "pushd", "--redis", source.url, "--app", ImportBench.app, "--json"], variables: variables)
        guard let line = await process.line(within: .seconds(1_800), where: { $0.hasPrefix("{\"dry_run\"") }) else {
            throw BenchError("carillon import printed no report: \(process.lines.last ?? "no output")")
        }
        _ = await process.end()
        return try withExtendedLifetime(folder) { try JSON(line) }
    }

    private func figure(_ name: String) -> String {
        ["import", "pushd", name].joined(separator: ".")
    }

    private static func number(_ name: String, _ report: JSON) -> Double? {
        switch report[name] {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }
}
