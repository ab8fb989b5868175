import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Store
import Synchronization
import TestSupport
import Testing

@testable import APNsSender

/// Many devices pass through the whole sender to a failing Apple: every device ends, none is repeated without need.
@Suite(.timeLimit(.minutes(3))) struct APNsDeliveryTests {
    @Test func goodbyesLoseAndRepeatNothing() async throws {
        let authority = try await TestAuthority()
        let apple = try ScriptedApple(authority)
        apple.server.sayGoodbye(afterRequests: 1_000)
        let fixture = try await SenderFixture(authority, apple: apple)
        let load = PushLoad(fixture.app, count: 24_000)
        try await fixture.deliver(load)
        #expect(fixture.counts(load)[.delivered] == load.count)
        #expect(apple.delivered.count == load.count)
        #expect(apple.repeats == 0)
        await fixture.end()
        await apple.server.close()
    }

    /// Goal: a cut connection loses nothing and repeats only pushes without an answer. Method: the server randomly
    /// drops its connection, once in 700 requests; the sender counts the pushes in flight as unknown, and no other push
    /// may be repeated.
    @Test(arguments: [1 as UInt64, 2]) func cutConnectionsRepeatOnlyWhatHadNoAnswer(seed: UInt64) async throws {
        let authority = try await TestAuthority()
        let dice = Mutex(Dice(seed: seed))
        let apple = try ScriptedApple(authority) { _, _ in
            dice.withLock { $0.chance(1, of: 700) } ? .drop : .accepted
        }
        let fixture = try await SenderFixture(authority, apple: apple)
        let load = PushLoad(fixture.app, count: 8_000)
        try await fixture.deliver(load)
        #expect(fixture.counts(load)[.delivered] == load.count)
        #expect((0..<load.count).allSatisfy { apple.delivered[PushLoad.path($0)] != nil })
        let unknown = fixture.count("carillon_sender_pushes_total{outcome=\"unknown\"}")
        #expect(unknown > 0)
        let extra = apple.delivered.values.reduce(0) { $0 + $1 - 1 }
        #expect(extra <= unknown)
        await fixture.end()
        await apple.server.close()
    }

    /// Goal: after a failure of one of Apple's servers a push goes to another one. Method: the connection of the first
    /// push fails every push to that device; with one and with several connections, the second attempt uses another
    /// connection, and all other pushes are delivered.
    @Test(arguments: [1, 2]) func aFailedPushTakesAnotherConnection(connections: Int) async throws {
        let authority = try await TestAuthority()
        let broken = Atomic(0)
        let seen = Mutex<[Int]>([])
        let apple = try ScriptedApple(authority) { request, _ in
            guard request.path == PushLoad.path(7) else { return .accepted }
            seen.withLock { $0.append(request.connection) }
            let first = broken.compareExchange(expected: 0, desired: request.connection, ordering: .relaxed).original
            let isBroken = first == 0 || first == request.connection
            return isBroken ? .refused(503, reason: "ServiceUnavailable") : .accepted
        }
        let fixture = try await SenderFixture(authority, apple: apple) { $0.connections = connections }
        let load = PushLoad(fixture.app, count: 100)
        try await fixture.deliver(load)
        #expect(fixture.counts(load)[.delivered] == load.count)
        let used = seen.withLock { $0 }
        #expect(used.count == 2 && used[0] != used[1], "the push used connections \(used)")
        await fixture.end()
        await apple.server.close()
    }

    @Test func aStormOfTooManyPasses() async throws {
        let authority = try await TestAuthority()
        let apple = try ScriptedApple(authority) { _, number in
            number <= 1_500 ? .refused(429, reason: "TooManyRequests") : .accepted
        }
        let fixture = try await SenderFixture(authority, apple: apple) { $0.window.ceiling = 64 }
        let gateway = try #require(await fixture.gateways.apns(fixture.app))
        let load = PushLoad(fixture.app, count: 6_000)
        try await fixture.plan(load)
        try await fixture.run(Array(load.chunks().prefix(2)))
        #expect(gateway.inFlightMaximum < 64)
        var chunks = try fixture.producer.takeRetries(of: load.task).flatMap { load.chunks($0) }
        chunks += load.chunks().dropFirst(2)
        for _ in 0..<300 where !chunks.isEmpty {
            try await fixture.run(chunks)
            chunks = try fixture.producer.takeRetries(of: load.task).flatMap { load.chunks($0) }
        }
        #expect(fixture.counts(load)[.delivered] == load.count)
        #expect(apple.repeats == 0)
        #expect(gateway.inFlightMaximum == 64)
        await fixture.end()
        await apple.server.close()
    }

    /// Apple's sandbox knows none of these tokens.
    @Test func theWrongEnvironmentDeletesNoDevice() async throws {
        let authority = try await TestAuthority()
        let apple = try ScriptedApple(authority)
        let sandbox = try ScriptedApple(authority) { _, _ in .refused(400, reason: "BadDeviceToken") }
        let fixture = try await SenderFixture(authority, apple: apple, sandbox: sandbox)
        var load = PushLoad(fixture.app, count: 10_000)
        load.isSandbox = true
        try await fixture.deliver(load)
        #expect(fixture.counts(load)[.invalid] == load.count)
        #expect(fixture.counts(load)[.invalidRemoved] == 0)
        #expect(sandbox.requests == load.count && apple.requests == 0)
        await fixture.end()
        await apple.server.close()
        await sandbox.server.close()
    }

    /// Goal: an app whose provider does not answer affects no other app, and its own memory is bounded. Method: after a
    /// healthy start its requests get no answer; meanwhile the chunks of another app are sent, and at most a window of
    /// its own pushes is in flight.
    @Test func aStalledProviderDelaysNoOther() async throws {
        let authority = try await TestAuthority()
        let isStalled = Atomic(false)
        let stalled = Atomic(0)
        let apple = try ScriptedApple(authority) { request, _ in
            guard isStalled.load(ordering: .relaxed), request.headers["apns-topic"] == "com.example.news" else {
                return .accepted
            }
            stalled.add(1, ordering: .relaxed)
            return .stall
        }
        let fixture = try await SenderFixture(authority, apple: apple) {
            $0.window = SendWindow.Settings(ceiling: 200, patience: .milliseconds(300))
            $0.requestLimit = .seconds(8)
        }
        try await fixture.deliver(PushLoad(fixture.app, count: 500, task: 1))
        isStalled.store(true, ordering: .relaxed)
        let news = PushLoad(fixture.app, count: 20_000, task: 2)
        let shop = PushLoad(try AppID("shop"), count: 5_000, task: 3)
        try await fixture.plan(news)
        async let stuck: Void = fixture.run(news.chunks(), atOnce: 40)
        #expect(await apple.hasSeen(600))
        try await fixture.deliver(shop)
        #expect(fixture.counts(shop)[.delivered] == shop.count)
        try await stuck
        // One window of pushes, plus the probes.
        #expect(stalled.load(ordering: .relaxed) <= 210)
        #expect(fixture.counts(news)[.waiting] == news.count)
        await fixture.end()
        await apple.server.close()
    }
}

extension SenderFixture {
    /// Returns the value of the metric whose line has this prefix.
    func count(_ line: String) -> Int {
        let found = metrics.exposition().split(separator: "\n").first { $0.hasPrefix(line) }
        return found?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) } ?? 0
    }
}
