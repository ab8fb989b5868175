import HTTP2
import JSONKit
import ProviderKit
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import AndroidSender

@Suite struct FCMGatewayTests {
    @Test func sendsOneRequestADevice() async throws {
        try await withGoogle(GoogleFixture()) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(100, lane: .bulk) == .admitted(100))
            let outcomes = await gateway.send(pushes((0..<100).map { "device:\($0)" }))
            #expect(outcomes == Array(repeating: .answered(.delivered), count: 100))
            let seen = fixture.google.seen.pushes
            #expect(Set(seen.map(\.text)) == Set((0..<100).map { #"{"message":{"token":"device:\#($0)"}}"# }))
            #expect(seen.allSatisfy { $0.path == "/v1/projects/bells/messages:send" && $0.method == "POST" })
            #expect(seen.allSatisfy { $0.authorization == "Bearer token-1" })
            #expect(seen.allSatisfy { $0.headers["content-type"] == "application/json" })
        }
    }

    /// Answers arrive in any order; each must be assigned to its push.
    @Test func answersStandInTheOrderOfThePushes() async throws {
        let body = #"""
            {"error":{"status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError",
            "errorCode":"UNREGISTERED"}]}}
            """#
        let fixture = try await GoogleFixture(onPush: { request in
            request.text.contains("dead")
                ? .json(404, body: body) : .answer(HTTP2Answer(200, delay: .milliseconds(30)))
        })
        try await withGoogle(fixture) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(40, lane: .bulk) == .admitted(40))
            let outcomes = await gateway.send(pushes((0..<40).map { $0 % 3 == 0 ? "dead-\($0)" : "alive-\($0)" }))
            #expect(outcomes.map(\.verdict) == (0..<40).map { $0 % 3 == 0 ? .invalidDevice(since: nil) : .delivered })
        }
    }

    @Test func tokensAreWrittenAsJSON() async throws {
        try await withGoogle(GoogleFixture()) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(1, lane: .bulk) == .admitted(1))
            _ = await gateway.send(pushes([#"a"b\c"#]))
            let message = try JSON(#require(fixture.google.seen.pushes.first).text)
            #expect(message["message"]?["token"] == .string(#"a"b\c"#))
        }
    }

    /// Google throttles the project: the gateway admits no push before the given time, and fewer at once afterwards.
    @Test(arguments: [429, 503]) func retryAfterPausesTheApp(_ status: Int) async throws {
        let time = ManualTimeSource()
        let isOverloaded = Monitor(true)
        let fixture = try await GoogleFixture(
            time: time,
            onPush: { _ in
                isOverloaded.withLock { $0 }
                    ? .json(status, body: "{}", headers: ["retry-after": "30"]) : .json(200, body: "{}")
            })
        try await withGoogle(fixture) { fixture in
            let gateway = try #require(fixture.gateway() as? FCMGateway)
            let full = gateway.inFlightMaximum
            #expect(await gateway.admit(10, lane: .bulk) == .admitted(10))
            _ = await gateway.send(pushes((0..<10).map { "device-\($0)" }))
            #expect(await gateway.admit(10, lane: .bulk) == .pausedFor(.seconds(30)))
            #expect(await gateway.admit(10, lane: .fast) == .pausedFor(.seconds(30)))
            #expect(gateway.inFlightMaximum == full / 2)
            isOverloaded.change { $0 = false }
            time.advance(by: .seconds(30))
            #expect(await gateway.admit(10, lane: .bulk) == .admitted(10))
            let outcomes = await gateway.send(pushes((0..<10).map { "device-\($0)" }))
            #expect(outcomes.allSatisfy { $0.verdict == .delivered })
            #expect(gateway.inFlightMaximum > full / 2)
        }
    }

    /// Goal: a `Retry-After` for one device does not delay the others. Method: 25 of 2,000 devices get a `Retry-After`
    /// of five minutes; the following devices are admitted immediately, and those 25 wait at least that long.
    @Test func aRetryAfterOfAFewDevicesIsTheirs() async throws {
        let fixture = try await GoogleFixture(onPush: { request in
            request.text.contains("busy")
                ? .json(503, body: #"{"error":{"status":"UNAVAILABLE"}}"#, headers: ["retry-after": "300"])
                : .json(200, body: "{}")
        })
        try await withGoogle(fixture) { fixture in
            let gateway = fixture.gateway()
            var waits: [Duration] = []
            var delivered = 0
            for start in stride(from: 0, to: 2_000, by: 200) {
                guard case .admitted(200) = await gateway.admit(200, lane: .bulk) else {
                    Issue.record("the app must not be paused after \(start) devices")
                    return
                }
                let tokens = (start..<(start + 200)).map { $0 % 80 == 0 ? "busy-\($0)" : "device-\($0)" }
                for outcome in await gateway.send(pushes(tokens)) {
                    if outcome.verdict == .delivered { delivered += 1 }
                    if case .retryLater(let advice) = outcome.verdict { waits.append(advice.floor) }
                }
            }
            #expect(delivered == 1_975)
            #expect(waits == Array(repeating: .seconds(300), count: 25))
            #expect(await gateway.admit(1, lane: .bulk) == .admitted(1))
        }
    }

    /// Two senders of one project together get one quota, and then have to wait. Another project is not affected. At
    /// one permit per second, no refill affects this test.
    @Test func theQuotaOfAProjectIsShared() async throws {
        let fixture = try await GoogleFixture(adjust: { $0.pushesPerMinute = 60 })
        try await withGoogle(fixture) { fixture in
            let (first, second) = (fixture.gateway(), fixture.gateway())
            #expect(await first.admit(1, lane: .bulk) == .admitted(1))
            guard case .pausedFor(let pause) = await second.admit(60, lane: .bulk) else {
                Issue.record("the second sender must see the permits used by the first")
                return
            }
            #expect(.seconds(30)...Duration.seconds(61) ~= pause)
            #expect(await fixture.gateway(project: "others").admit(1, lane: .bulk) == .admitted(1))
            // An unused permit goes to the next request of this gateway.
            await first.giveBack(1)
            #expect(await first.admit(1, lane: .bulk) == .admitted(1))
        }
    }

    /// Pushes that the gates of two apps admit at the same time must not be refused by the connection pool.
    @Test func thePoolTakesWhatItsGatesLetThrough() {
        var configuration = FCMConfiguration()
        configuration.inFlightMaximum = 10_000
        #expect(configuration.pool.requestsMaximum == 20_000)
    }

    @Test func withoutTheQuotaNothingIsSent() async throws {
        try await withGoogle(GoogleFixture()) { fixture in
            await fixture.redisServer.stop()
            #expect(await fixture.gateway().admit(10, lane: .bulk) == .pausedFor(.seconds(1)))
        }
    }

    /// Goal: devices do not wait for a Google without answers. Method: one push gets no answer; a request ten seconds
    /// later is refused.
    @Test func aSilentGoogleAdmitsNoPush() async throws {
        let time = ManualTimeSource()
        let arrived = OneTimeEvent()
        let fixture = try await GoogleFixture(
            time: time,
            onPush: { _ in
                arrived.happen()
                return .stall
            })
        try await withGoogle(fixture) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(1, lane: .bulk) == .admitted(1))
            let sending = Task { await gateway.send(pushes(["device"])) }
            await arrived.wait()
            time.advance(by: .seconds(10))
            guard case .unavailable = await gateway.admit(1, lane: .bulk) else {
                Issue.record("devices must not wait for a provider without answers")
                return
            }
            await fixture.google.server.close()
            _ = await sending.value
        }
    }

    @Test func aCutConnectionLeavesTheOutcomeUnknown() async throws {
        try await withGoogle(GoogleFixture(onPush: { _ in .drop })) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(1, lane: .bulk) == .admitted(1))
            guard case .unknown? = await gateway.send(pushes(["device"])).first else {
                Issue.record("Google may have sent the push, so it must be unknown")
                return
            }
        }
    }
}

extension ProviderAnswer {
    static let delivered = ProviderAnswer(.delivered, reason: "", status: 200)
}
