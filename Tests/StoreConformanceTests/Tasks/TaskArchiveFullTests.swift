import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// Goal: a task ends in a full Redis. Method: a server's memory limit is set below its usage.
@Suite(.timeLimit(.minutes(5))) struct TaskArchiveFullTests {
    private let task = Samples.freshTask()

    @Test func aReportIsFixedAndSettledInAFullRedis() async throws {
        let store = try await StoreFixture(.redis, ownership: .own)
        let redis = try #require(try store.client())
        let archive = RedisTaskArchive(StoreConnection(redis), time: SystemTimeSource())
        _ = try await redis.send(RedisCommand("CONFIG", "SET", "maxmemory", "1"))
        #expect(try await archive.fix(report: [1], of: task) == [1])
        #expect(try await archive.fix(report: [2], of: task) == [1])
        #expect(try await archive.report(of: task) == [1])
        try await archive.conclude(task, after: .seconds(600), provenFor: .zero)
        #expect(try await archive.reportStage(of: task) == .settled)
        let left = try await redis.send(RedisCommand("PTTL", RedisArgument("report:{\(task.key)}"))).integer ?? 0
        #expect((1...600_000).contains(left))
    }
}
