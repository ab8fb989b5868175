import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Tokens expire under load: they are renewed in time, and once for all requests.
@Suite(.timeLimit(.minutes(4))) struct TokenRenewalTests {
    /// Goal: Apple gets no expired token, and no two new ones in quick succession. Method: tokens live for ten seconds
    /// instead of an hour, and pushes go out for longer than that.
    @Test func applesTokensAreRenewedWithoutRefusals() async throws {
        try await withHarness { harness in
            try await harness.simulator.order("/credentials", body: #"{"provider":"apns","age":"10s"}"#)
            try await harness.simulator.order("/faults", body: #"{"provider":"apns","kind":"delay","fixed":"100ms"}"#)
            let shipment = Shipment(try AppID("news"), tokens: try PushToken.numbered(.apns, numbers: 0..<6_000))
            let sender = try await harness.start(
                "apns-sender", settings: ["CARILLON_APNS_IN_FLIGHT": "50", "CARILLON_APNS_TOKEN_LIFETIME": "10s"])
            let started = SystemTimeSource().uptime
            try await harness.dispatch(shipment)
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
            #expect(SystemTimeSource().uptime - started > .seconds(10), "no token has expired")
            #expect(results.count("delivered") == shipment.count)
            #expect(try await harness.simulator.count("apns", path: "refused") <= 5, "\(sender.lines)")
            #expect(try await harness.simulator.count("apns", path: "accepted") == shipment.count)
            await results.close()
        }
    }

    /// The same for Google, whose token answers contain the lifetime: six seconds.
    @Test func googlesTokensAreRenewedWithoutRefusals() async throws {
        try await withHarness { harness in
            try await harness.simulator.order("/credentials", body: #"{"provider":"fcm","age":"6s"}"#)
            try await harness.simulator.order("/faults", body: #"{"provider":"fcm","kind":"delay","fixed":"100ms"}"#)
            let shipment = Shipment(try AppID("news"), tokens: try PushToken.numbered(.fcm, numbers: 0..<4_000))
            let sender = try await harness.start("android-sender", settings: ["CARILLON_FCM_IN_FLIGHT": "50"])
            let started = SystemTimeSource().uptime
            try await harness.dispatch(shipment)
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
            let taken = SystemTimeSource().uptime - started
            #expect(taken > .seconds(6), "no token has expired")
            #expect(results.count("delivered") == shipment.count)
            let refused = try await harness.simulator.count("fcm", path: "refused")
            #expect(refused <= 5, "\(sender.lines)")
            let tokens = try await harness.simulator.count("fcm", path: "requests") - shipment.count - refused
            #expect(2...(2 + Int(taken.inSeconds / 4)) ~= tokens)
            await results.close()
        }
    }

    /// Goal: a token that Google revokes early costs one refusal for each push in flight with it, and one new token.
    /// Method: it is revoked between two tasks, when it is old enough to be replaced and far from its renewal: at ten
    /// of thirty seconds, before which the first task cannot end, since each twenty of its devices take half a second.
    @Test func aTokenThatEndsEarlyIsRenewedOnceForAll() async throws {
        try await withHarness { harness in
            let app = try AppID("news")
            try await harness.simulator.order("/credentials", body: #"{"provider":"fcm","age":"30s"}"#)
            try await harness.simulator.order("/faults", body: #"{"provider":"fcm","kind":"delay","fixed":"500ms"}"#)
            let sender = try await harness.start("android-sender", settings: ["CARILLON_FCM_IN_FLIGHT": "20"])
            let first = Shipment(app, task: 1, tokens: try PushToken.numbered(.fcm, numbers: 0..<440))
            try await harness.dispatch(first)
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(first.count), "\(results.endings.count) have ended; \(sender.lines)")
            try await harness.simulator.admin("DELETE", "/faults")
            try await harness.simulator.order("/credentials", body: #"{"provider":"fcm","expire_tokens":true}"#)
            let second = Shipment(app, task: 2, tokens: try PushToken.numbered(.fcm, numbers: 440..<2_000))
            try await harness.dispatch(second)
            let all = first.count + second.count
            #expect(try await results.read(all), "\(results.endings.count) have ended; \(sender.lines)")
            #expect(results.count("delivered") == all)
            #expect(try await harness.simulator.count("fcm", path: "accepted") == all)
            let refused = try await harness.simulator.count("fcm", path: "refused_by_reason", "UNAUTHENTICATED")
            #expect(1...20 ~= refused)
            #expect(try await harness.simulator.count("fcm", path: "requests") - all - refused == 2)
            await results.close()
        }
    }
}
