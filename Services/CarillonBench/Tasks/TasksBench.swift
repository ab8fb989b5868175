import CommandKit
import RedisClient
import ServiceKit

/// Requests with many tasks, to a running pipeline that works on them meanwhile.
struct TasksBench {
    static let tasksPerRequest = 1_000
    static let connections = 4

    let pipeline: PipelineBench
    let duration: Duration

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(pipeline.devices) devices")
        _ = try await pipeline.fill()
        let load = try TaskBatchLoad(pipeline.harness, users: pipeline.devices)
        let before = try pipeline.harness.usage()
        let arrivedBefore = try await pipeline.accepted()
        pipeline.say("requests with \(TasksBench.tasksPerRequest) tasks for \(Int(duration.inSeconds)) s")
        let posted = try await load.post(for: duration)
        let usage = try pipeline.harness.usage(since: before)
        let arrived = try await pipeline.accepted() - arrivedBefore
        let tasks = posted.milliseconds.count * TasksBench.tasksPerRequest
        return [
            BenchFigure(name: "tasks.batch.rate", value: Double(tasks) / posted.duration.inSeconds, unit: "tasks/s"),
            BenchFigure(name: "tasks.batch.p50", value: posted.milliseconds.percentile(50), unit: "ms/request"),
            BenchFigure(name: "tasks.batch.p99", value: posted.milliseconds.percentile(99), unit: "ms/request"),
            BenchFigure(name: "tasks.batch.backlog", value: Double(tasks - arrived), unit: "tasks"),
        ]
            + (try await store())
            + usage.map {
                BenchFigure(
                    name: "tasks.batch.cpu_us.\($0.name)", value: $0.cpuSeconds * 1e6 / Double(tasks),
                    unit: "CPU-µs/task")
            }
            + usage.map { $0.memoryFigure("tasks.batch.memory_peak") }
    }

    /// What Redis holds when posting ends, and may hold.
    private func store() async throws -> [BenchFigure] {
        try await pipeline.withStore { client in
            let info = try await RedisInfo(client, section: "memory")
            return [
                ("channel_bytes", try await RedisWork.streamBytes(client)),
                ("redis_bytes", try info.number("used_memory")), ("maxmemory", try info.number("maxmemory")),
            ].map { BenchFigure(name: "tasks.batch.\($0)", value: $1 / 1e6, unit: "MB") }
        }
    }
}
