import CommandKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Memory of tasks that wait for their time: their entries in the index and in the list of their app.
struct ScheduleMemoryBench {
    private static let tasksAtOnce = 64
    private static let span = 90 * 86_400

    let tasks: Int

    func run() async throws -> BenchFigure {
        let server = try await LocalRedis(isDurable: false)
        return try await server.withClient { client in
            let connection = StoreConnection(client)
            let time = SystemTimeSource()
            let schedule = TaskSchedule(
                archive: RedisTaskArchive(connection, time: time), index: RedisRetryIndex(connection),
                moments: RedisUserMoments(connection),
                hours: LearntHours(RedisUserOpens(connection), metrics: Metrics()))
            let app = try AppID("bench")
            let now = time.now
            _ = try await Concurrently.run(tasks, atOnce: ScheduleMemoryBench.tasksAtOnce) { number in
                var task = PushTask(
                    id: TaskID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)), app: app, created: now)
                task.sendAt = now + .seconds(60 + number % ScheduleMemoryBench.span)
                task.content.message = PushMessage()
                _ = try await schedule.enter(task, at: now)
            }
            return BenchFigure(
                name: "schedule.bytes_per_task", value: try await sortedSetBytes(client) / Double(tasks), unit: "bytes")
        }
    }

    /// The content of a task is a string.
    private func sortedSetBytes(_ client: RedisClient) async throws -> Double {
        var bytes = 0.0
        var cursor = "0"
        repeat {
            let reply = try await client.send(
                RedisCommand("SCAN", RedisArgument(cursor), "COUNT", "10000", "TYPE", "zset"))
            guard let parts = reply.array, parts.count == 2, let next = parts[0].string, let keys = parts[1].array
            else { throw BenchError("redis-server does not list its keys") }
            for key in keys.compactMap(\.bytes) {
                let usage = try await client.send(
                    RedisCommand("MEMORY", "USAGE", RedisArgument(key), "SAMPLES", "0"))
                bytes += Double(usage.integer ?? 0)
            }
            cursor = next
        } while cursor != "0"
        return bytes
    }
}
