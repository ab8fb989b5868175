import HTTP2
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// The real program on a real Redis.
@Suite(.timeLimit(.minutes(3))) struct SenderProcessTests {
    /// Goal: killed at any moment, the sender loses no device and repeats only what had no answer. Method: a thousand
    /// devices at an Apple that answers after a while; it is killed when a part has arrived, and started again. What was
    /// under way at that moment was at most a window's worth, and comes again when the lease of its claim is over.
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
        #expect(extra <= 1_000, "\(extra) came twice")
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
