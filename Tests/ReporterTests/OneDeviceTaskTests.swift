import Bus
import RedisClient
import RedisStore
import ServiceKit
import Synchronization
import TestSupport
import Testing

@testable import Reporter

/// Goal: the end of a single push makes no unnecessary requests to Redis, since every push has one. Method: every
/// command to Redis is counted, and every script.
@Suite(.timeLimit(.minutes(3))) struct OneDeviceTaskTests {
    @Test func itsEndTakesFewSteps() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try ReporterFixture()
        let redis = RedisClient(
            try RedisConfiguration(url: server.url), log: fixture.environment.log, metrics: fixture.metrics)
        let steps = Monitor(0)
        let pushes = try await SinglePushes(
            fixture,
            connection: StoreConnection(redis) {
                steps.change { $0 += 1 }
                return nil
            })
        // The first push also sends the scripts and begins the statistics of the day.
        for number in 1...2 {
            let task = try await pushes.deliver(UInt64(number))
            _ = try await redis.send(RedisCommand("CONFIG", "RESETSTAT"))
            steps.change { $0 = 0 }
            #expect(try await pushes.closer.check(CheckQueue.Check(task: task, isDue: false)) == .settled)
        }
        let scripts =
            ["witness", "lease in the agenda", "close segment", "close task"].count
            + ["statistics", "tasks of the device", "leave the agenda"].count
        let commands =
            ["open segments", "closed segments", "task", "open devices", "content", "report"].count
            + ["trace", "its expiry"].count
            + ["ledger", "task"].count + ["stage", "content", "report", "other keys"].count
        #expect(steps.withLock { $0 } == scripts + commands)
        let info = try await redis.send(RedisCommand("INFO", "commandstats")).string ?? ""
        #expect(info.contains("cmdstat_evalsha:calls=\(scripts),") && !info.contains("cmdstat_eval:"))
        await redis.close()
    }
}
