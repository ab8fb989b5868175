import CommandKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store

/// Memory and rate of what the reporter keeps of single pushes beside their traces.
struct StatisticsBench {
    /// In one hour of one app: 30 a second.
    private static let tasks = 108_000
    private static let devices = 20_000
    private static let values = 500

    func run() async throws -> [BenchFigure] {
        let server = try await LocalRedis(isDurable: false)
        return try await server.withClient { client in
            let store = StoreConnection(client)
            let statistics = RedisTaskStatistics(store, time: SystemTimeSource())
            var figures = try await measure("statistics.fold", count: StatisticsBench.tasks, client: client) { number in
                guard try await statistics.fold(try StatisticsBench.task(number)) else {
                    throw BenchError("a task was counted before")
                }
            }
            figures += [
                BenchFigure(
                    name: "statistics.bytes_per_task",
                    value: try await StatisticsBench.memory(of: "statm:*", client) / Double(StatisticsBench.tasks),
                    unit: "bytes"),
                BenchFigure(
                    name: "statistics.bytes_per_value",
                    value: try await StatisticsBench.memory(of: "stat:*:topics", client)
                        / Double(2 * StatisticsBench.values),
                    unit: "bytes"),
            ]
            let held = try await RedisReading(client).memoryBytes
            let tasks = RedisDeviceTasks(store, time: SystemTimeSource())
            figures += try await measure("device_tasks.enter", count: StatisticsBench.devices, client: client) {
                number in
                try await tasks.enter(
                    StatisticsBench.id(number), closed: SystemTimeSource().now,
                    under: [DeviceIndex(rawValue: UInt32(number))], of: try AppID("bench"))
            }
            let added = try await RedisReading(client).memoryBytes - held
            figures.append(
                BenchFigure(
                    name: "device_tasks.bytes_per_entry", value: added / Double(StatisticsBench.devices), unit: "bytes")
            )
            return figures
        }
    }

    private func measure(
        _ name: String, count: Int, client: RedisClient, body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> [BenchFigure] {
        let meter = try await BenchMeter(client)
        _ = try await Concurrently.run(count, atOnce: 32, body: body)
        let used = try await meter.read()
        let rate = BenchFigure(name: "\(name).rate", value: Double(count) / used.seconds, unit: "tasks/s")
        return [rate] + used.figures(name, per: 100_000, of: count)
    }

    /// A single push with a topic and a label.
    private static func task(_ number: Int) throws -> CountedTask {
        let outcomes = OutcomeCounts { $0 == .delivered ? 1 : 0 }
        let now = StatisticsInterval.hour.start(of: SystemTimeSource().now)
        let parts: [(StatisticsDimension, String)] = [
            (.total, ""), (.dialect, "native"), (.platform, "ios"), (.topic, "topic-\(number % values)"),
            (.label(name: "campaign"), "spring"),
        ]
        return CountedTask(
            id(number), of: try AppID("bench"), begins: now, closed: now,
            parts: parts.map { CountedTask.Part($0, value: $1, outcomes: outcomes) })
    }

    /// Spread like random ids.
    private static func id(_ number: Int) -> TaskID {
        TaskID(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number) &* 0xD1B5_4A32_D192_ED03)
    }

    /// Memory of all keys that match a pattern, as reported by Redis.
    private static func memory(of pattern: String, _ client: RedisClient) async throws -> Double {
        let keys = try await client.send(RedisCommand("KEYS", RedisArgument(pattern))).array ?? []
        var bytes = 0.0
        for key in keys.compactMap(\.bytes) {
            let usage = try await client.send(RedisCommand("MEMORY", "USAGE", RedisArgument(key)))
            bytes += Double(usage.integer ?? 0)
        }
        return bytes
    }
}
