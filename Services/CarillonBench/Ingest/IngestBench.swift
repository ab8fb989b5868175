import CommandKit
import ServiceKit

/// Durable acceptance of small tasks, compared with a server that only answers, in alternating rounds, so that other
/// load on the machine affects both.
struct IngestBench {
    private struct Round {
        let bare: RequestReading
        let ours: RequestReading
        let api: ProcessReading
        let redis: ProcessReading
        /// Resources used before the first request.
        let apiBefore: ProcessReading
        let redisBefore: ProcessReading

        var apiCPUSeconds: Double { api.cpuSeconds - apiBefore.cpuSeconds }
        var redisCPUSeconds: Double { redis.cpuSeconds - redisBefore.cpuSeconds }
    }

    /// Opens connections and loads code before anything is measured.
    private static let warmUp = 1_000
    /// No service consumes the tasks, and the limit of their topic is not measured here.
    private static let variables = ["CARILLON_BUS_CHANNEL_BYTES": "4GiB"]
    private static let task = #"{"users":["user-1"],"message":{"title":"Hello","body":"World"}}"#

    let requests: Int

    func run(rounds count: Int, say: (Int) -> Void) async throws -> [BenchFigure] {
        var rounds: [Round] = []
        for number in 1...count {
            say(number)
            rounds.append(try await round())
        }
        return figures(rounds)
    }

    private func round() async throws -> Round {
        let bare = try await bareServer()
        let redis = try await LocalRedis()
        let api = try await LocalIngest(bus: redis.url, scope: "publish", variables: IngestBench.variables)
        let load = TaskLoad(port: api.port, key: api.key, body: IngestBench.task)
        _ = try await load.run(requests: IngestBench.warmUp)
        let (apiBefore, redisBefore) = (try api.usage(), try redis.usage())
        let ours = try await load.run(requests: requests)
        return Round(
            bare: bare, ours: ours, api: try api.usage(), redis: try redis.usage(), apiBefore: apiBefore,
            redisBefore: redisBefore)
    }

    private func bareServer() async throws -> RequestReading {
        let server = try await BareServer()
        let load = TaskLoad(port: server.port, key: "ck_none", body: IngestBench.task)
        _ = try await load.run(requests: IngestBench.warmUp)
        return try await load.run(requests: requests)
    }

    private func figures(_ rounds: [Round]) -> [BenchFigure] {
        let thousands = Double(requests) / 1_000
        func figure(_ name: String, unit: String, value: (Round) -> Double) -> BenchFigure {
            BenchFigure(name: "ingest.task.\(name)", value: rounds.map(value).median, unit: unit)
        }
        return [
            BenchFigure(
                name: "ingest.task.rate", value: rounds.map(\.ours.rate).median, unit: "tasks/s",
                ratio: rounds.map { $0.ours.rate / $0.bare.rate }.median),
            figure("p50", unit: "ms") { $0.ours.milliseconds.percentile(50) },
            figure("p99", unit: "ms") { $0.ours.milliseconds.percentile(99) },
            figure("cpu_per_1k", unit: "CPU-seconds") { $0.apiCPUSeconds / thousands },
            figure("redis_cpu_per_1k", unit: "CPU-seconds") { $0.redisCPUSeconds / thousands },
            figure("memory_peak", unit: "MB") { Double($0.api.memoryBytesPeak) / 1e6 },
            figure("redis_memory_peak", unit: "MB") { Double($0.redis.memoryBytesPeak) / 1e6 },
        ]
    }
}
