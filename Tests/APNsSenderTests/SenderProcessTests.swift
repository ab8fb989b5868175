import HTTP2
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// The real program with a real Redis.
@Suite(.timeLimit(.minutes(5))) struct SenderProcessTests {
    /// Goal: a sender killed at any moment loses no device and repeats only pushes without an answer. Method: a
    /// thousand devices and a slow Apple; the sender is killed after a part has arrived, and restarted. At most one
    /// window of pushes was in flight, and is retried when the lease of its claim expires.
    @Test func aKilledSenderLosesNothing() async throws {
        let authority = try await TestAuthority()
        let redis = try await durableRedis()
        let apple = try ScriptedApple(authority, streamsMaximum: 50) { _, _ in
            .answer(HTTP2Answer(delay: .milliseconds(20)))
        }
        let sender = try await SenderProcess(redis, authority: authority, apple: apple)
        var load = PushLoad(try AppID("news"), count: 4_000)
        load.devicesPerChunk = 200
        var results = try await ResultReader(sender.bus)
        try await sender.whileScheduling(load) {
            try await sender.dispatch(load)
            #expect(await apple.hasSeen(1_000))
            try await sender.killAndRestart()
            #expect(try await results.read(load.count), "\(results.endings.count) have ended; \(sender.lines)")
        }
        #expect(results.count("delivered") == load.count)
        #expect((0..<load.count).allSatisfy { apple.delivered[PushLoad.path($0)] != nil })
        let extra = apple.delivered.values.reduce(0) { $0 + $1 - 1 }
        #expect(extra <= 1_000, "\(extra) were repeated")
        #expect(apple.delivered.values.allSatisfy { $0 <= 2 })
        await results.close()
        #expect(await sender.stop() == .exited(0))
        await sender.close()
        await apple.server.close()
        await redis.stop()
    }

    private func durableRedis() async throws -> RedisServer {
        var options = RedisServer.Options.forStores
        options.isDurable = true
        return try await RedisServer(options)
    }
}
