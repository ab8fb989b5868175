import RedisClient
import ServiceKit
import TestSupport
import Testing

@testable import RedisBus

/// Goal: the holder of a partition learns that the log is not the one it read. Method: the script that renews its lease
/// is told entries that are in the log, and others at their offsets.
@Suite(.timeLimit(.minutes(3))) struct RewrittenLogTests {
    private static let state: RedisArgument = "{p}state"
    private static let log: RedisArgument = "{p}log"
    private static let lease: RedisArgument = "{p}lease"

    @Test func theEntryReadLastIsRecognisedByItsTime() async throws {
        let server = try await RedisServer()
        let redis = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        for time: RedisArgument in [1_000, 2_000] {
            _ = try await redis.run(
                RedisBusScripts.appendDraining, keys: [Self.state, Self.log],
                arguments: [1, 10, 0, "batch", time, 0, 0, "work"])
        }
        let acquired = try await redis.run(
            RedisBusScripts.acquire, keys: [Self.lease, Self.state], arguments: ["member", 60_000, "group"])
        let fence = RedisArgument(try #require(acquired.array?.first?.integer))
        func renew(offset: RedisArgument, time: RedisArgument) async throws -> RedisValue {
            try await redis.run(
                RedisBusScripts.renew, keys: [Self.lease, Self.state, Self.log],
                arguments: ["member", 60_000, "group", fence, 0, offset, time])
        }
        _ = try await redis.send(RedisCommand("CONFIG", "RESETSTAT"))
        #expect(try await renew(offset: 2, time: 2_000) == .integer(2))
        // The newest entry is recognised without its bytes.
        #expect(try await readEntries(redis) == 0)
        #expect(try await renew(offset: 1, time: 1_000) == .integer(2))
        #expect(try await readEntries(redis) == 1)
        #expect(try await renew(offset: 2, time: 1_000) == .integer(-2))
        #expect(try await renew(offset: 1, time: 2_000) == .integer(-2))
        await redis.close()
    }

    private func readEntries(_ redis: RedisClient) async throws -> Int {
        let info = try await redis.send(RedisCommand("INFO", "commandstats")).string ?? ""
        let line = info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("cmdstat_xrange:calls=") }
        return line.flatMap { Int($0.dropFirst("cmdstat_xrange:calls=".count).prefix { $0.isNumber }) } ?? 0
    }
}
