import ServiceKit

/// What pushes to one user each took when they were posted as fast as they were accepted.
struct FullLoad: Sendable {
    let pushes: Int
    let accepted: Duration
    let delivered: Duration
    let usage: [ProgramUsage]
    let redisBefore: RedisWork
    let redisAfter: RedisWork

    var deliveredRate: Double { Double(pushes) / delivered.inSeconds }

    /// Of all programs for a push.
    private var cpuMilliseconds: Double { usage.cpuSeconds * 1_000 / Double(pushes) }

    func figures(broadcastMilliseconds: Double) -> [BenchFigure] {
        let count = Double(pushes)
        func perPush(_ name: String, unit: String, value: (RedisWork) -> Double) -> BenchFigure {
            BenchFigure(name: "single.\(name)", value: (value(redisAfter) - value(redisBefore)) / count, unit: unit)
        }
        return [
            BenchFigure(name: "single.accepted.rate", value: count / accepted.inSeconds, unit: "tasks/s"),
            BenchFigure(name: "single.delivered.rate", value: deliveredRate, unit: "pushes/s"),
            BenchFigure(name: "single.cpu_ms", value: cpuMilliseconds, unit: "CPU-ms/push"),
            BenchFigure(
                name: "single.cpu_ratio", value: cpuMilliseconds / broadcastMilliseconds, unit: "of a broadcast's push"),
        ]
            + usage.map {
                BenchFigure(
                    name: "single.cpu_ms.\($0.name)", value: $0.cpuSeconds * 1_000 / count, unit: "CPU-ms/push")
            }
            + [
                perPush("redis_calls", unit: "scripts/push", value: \.calls),
                perPush("redis_us", unit: "µs/push", value: \.microseconds),
                perPush("aof_bytes", unit: "bytes/push", value: \.logBytes),
                perPush("bytes_kept", unit: "bytes/push", value: \.memoryBytes),
            ]
    }

    /// Of this build and of an older one.
    func figures(comparedWith older: FullLoad) -> [BenchFigure] {
        [
            BenchFigure(name: "single.before.delivered.rate", value: older.deliveredRate, unit: "pushes/s"),
            BenchFigure(name: "single.before.cpu_ms", value: older.cpuMilliseconds, unit: "CPU-ms/push"),
            BenchFigure(
                name: "single.delivered_before_ratio", value: deliveredRate / older.deliveredRate,
                unit: "of the older build's"),
            BenchFigure(
                name: "single.cpu_before_ratio", value: cpuMilliseconds / older.cpuMilliseconds,
                unit: "of the older build's"),
        ]
    }
}
