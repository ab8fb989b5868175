import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// A sender whose provider is in an outage.
@Suite struct OutageTests {
    private let offsets = (0..<192).map { UInt16($0) }
    private let failure = PushOutcome.answered(
        ProviderAnswer(.retryLater(.soon), reason: "ServiceUnavailable", status: 503))

    /// A provider whose state is set by the test.
    private final class Provider: Sendable {
        let isDown = Monitor(true)
        let gateway: ScriptedGateway

        init(_ failure: PushOutcome) {
            gateway = ScriptedGateway { [isDown] _ in isDown.withLock { $0 } ? failure : .answered(.delivered) }
        }
    }

    /// Goal: an outage is detected, its pauses double and cost one push each, and the first success ends it. Method: a
    /// provider that fails every push, and one chunk for each advance of the clock.
    @Test func anOutageIsProbedByOnePushAfterEachPause() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let route = ProviderRoute(app: fixture.app, provider: .apns)
        let provider = Provider(failure)
        let handler = fixture.handler(provider.gateway)
        var next = 0
        func deliver(_ count: Int) async throws {
            let some = Array(offsets[next..<(next + count)])
            next += count
            _ = try await fixture.run(handler, chunk: fixture.chunk(some))
        }
        try await deliver(32)
        fixture.time.advance(by: .seconds(1))
        try await deliver(32)
        #expect(provider.gateway.sent.count == 64)
        var pauses: [Duration] = []
        for _ in 0..<7 {
            let sent = provider.gateway.sent.count
            let left = try #require(fixture.sharedOutages.read()[route])
            pauses.append(left)
            // Devices that arrive during the pause are deferred to its end, without using an attempt.
            let orders = try fixture.producer.retries().count
            try await deliver(4)
            #expect(provider.gateway.sent.count == sent)
            for order in try fixture.producer.retries().dropFirst(orders) {
                #expect(order.attempt == 0 && order.due >= (fixture.time.now + left).milliseconds)
            }
            fixture.time.advance(by: left)
            try await deliver(4)
            #expect(provider.gateway.sent.count == sent + 1)
        }
        for (level, pause) in pauses.enumerated() {
            let ceiling = min(Duration.seconds(300), .seconds(15) * (1 << level))
            #expect(ceiling / 2 <= pause && pause <= ceiling, "pause \(level) lasts \(pause)")
        }
        provider.isDown.change { $0 = false }
        fixture.time.advance(by: try #require(fixture.sharedOutages.read()[route]))
        let sent = provider.gateway.sent.count
        try await deliver(16)
        #expect(provider.gateway.sent.count == sent + 16)
        #expect(fixture.sharedOutages.read().isEmpty)
        #expect(fixture.outages.detail.isEmpty)
        #expect(provider.gateway.permitsHeld == 0)
    }

    /// Goal: senders share an outage: one detects it, and only one of both sends the probe. Method: a second sender,
    /// whose own pushes have all been delivered, reads the state set by the first.
    @Test func sendersShareAnOutage() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let provider = Provider(failure)
        let first = fixture.handler(provider.gateway)
        let other = OutageWatch(
            fixture.sharedOutages, probeLease: .seconds(60), time: fixture.time, random: SeededRandomSource(seed: 9),
            log: Log(service: "test", level: .error, sink: CollectingSink()), metrics: Metrics())
        for part in 0..<2 {
            _ = try await fixture.run(first, chunk: fixture.chunk(Array(offsets[(part * 32)..<(part * 32 + 32)])))
            fixture.time.advance(by: .seconds(1))
        }
        let quiet = ScriptedGateway { _ in .answered(.delivered) }
        let second = fixture.handler(quiet, seed: 7, outages: other)
        _ = try await fixture.run(second, chunk: fixture.chunk(Array(offsets[64..<96])))
        #expect(quiet.sent.isEmpty)
        fixture.time.advance(by: .seconds(15))
        _ = try await fixture.run(second, chunk: fixture.chunk(Array(offsets[96..<128])))
        #expect(quiet.sent.count == 32)
        #expect(fixture.sharedOutages.read().isEmpty)
    }

    /// Goal: a provider without answers or without a token is in an outage immediately. Method: the gateway says so.
    @Test func aSilentProviderIsInAnOutage() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        gateway.answerAdmissions(.unavailable(reason: "it owes answers"))
        let handler = fixture.handler(gateway)
        _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[0..<64])))
        #expect(gateway.sent.isEmpty)
        #expect(fixture.sharedOutages.read().count == 1)
        #expect(fixture.outages.detail.contains("news/apns"))
        gateway.answerAdmissions(nil)
        _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[64..<128])))
        #expect(gateway.sent.isEmpty)
        fixture.time.advance(by: .seconds(15))
        _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[128..<192])))
        #expect(gateway.sent.count == 64)
    }

    /// Another app, and another provider of the same app, are not affected.
    @Test func anOutageIsOfOneAppAndProvider() async throws {
        let time = ManualTimeSource()
        let store = MemoryProviderOutages(time: time)
        let (news, shop) = (try AppID("news"), try AppID("shop"))
        _ = store.extend(
            ProviderRoute(app: news, provider: .apns), by: OutagePauses(), jitter: 0, isProbe: false)
        #expect(store.probe(ProviderRoute(app: shop, provider: .apns), for: .seconds(1)) == .open)
        #expect(store.probe(ProviderRoute(app: news, provider: .fcm), for: .seconds(1)) == .open)
        #expect(
            store.probe(ProviderRoute(app: news, provider: .apns), for: .seconds(1))
                == .refused(.milliseconds(7_500)))
    }
}
