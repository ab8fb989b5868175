import RedisClient
import ServiceKit
import TestSupport
import Testing

@testable import RedisBus

@Suite(.timeLimit(.minutes(3))) struct FenceTests {
    /// Goal: a fencing token from before a data loss is never issued again, although both holders were the first.
    @Test func aRedisThatLostEverythingGivesOutNoFenceTwice() async throws {
        let server = try await RedisServer()
        let redis = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        func acquire(_ member: RedisArgument) async throws -> Int64? {
            let answer = try await redis.run(
                RedisBusScripts.acquire, keys: ["lease", "state"], arguments: [member, 60_000, "group"])
            return answer.array?.first?.integer
        }
        let early = try #require(try await acquire("early"))
        #expect(try await acquire("early") == early + 1)
        _ = try await redis.send(RedisCommand("FLUSHALL"))
        let late = try #require(try await acquire("late"))
        #expect(late > early + 1)
        let renewed = try await redis.run(
            RedisBusScripts.renew, keys: ["lease", "state", "log"],
            arguments: ["early", 60_000, "group", RedisArgument(early + 1), 0, "", ""])
        #expect(renewed == .integer(-1))
        await redis.close()
    }
}
