import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// A provider that accepts requests but does not answer.
@Suite(.timeLimit(.minutes(4))) struct StallTests {
    struct Stall: Sendable, CustomTestStringConvertible {
        let program: String
        let kind: PushProtocol
        /// The token prefix of devices that get no answer.
        let trouble: String
        let others: PushProtocol

        var testDescription: String { "\(kind.name) stalls, \(others.name) goes on" }
    }

    static let stalls = [
        Stall(program: "apns-sender", kind: .apns, trouble: "c0de0003", others: .apns),
        Stall(program: "android-sender", kind: .fcm, trouble: "stall", others: .huawei),
        Stall(program: "android-sender", kind: .huawei, trouble: "stall", others: .fcm),
    ]

    private static let inFlight = 200
    private static let growthMaximum = 32 << 20

    /// Goal: pushes to a stalled provider block neither other apps nor the fast lane, and memory stays bounded. Method:
    /// after a healthy start, one app's devices get no answer, twenty thousand of them with large payloads; behind them
    /// on the bus are those of another app, and some in the fast lane. These are delivered, and the stalled provider
    /// never gets more requests than fit the window.
    @Test(arguments: stalls) func aStalledProviderDelaysNoOther(_ stall: Stall) async throws {
        try await withHarness(apps: ["news", "shop"]) { harness in
            let (news, shop) = (try AppID("news"), try AppID("shop"))
            let sender = try await harness.start(stall.program, settings: settings)
            var results = try await ResultReader(harness.bus)
            var retries = try await RetryReader(harness.bus)
            let start = try [stall.kind, stall.others].flatMap { try PushToken.numbered($0, numbers: 0..<500) }
            try await harness.dispatch(Shipment(shop, task: 1, tokens: start))
            #expect(try await results.read(start.count), "\(sender.lines)")
            let before = try sender.residentBytesMost()

            let tokens = try PushToken.numbered(stall.kind, numbers: 0..<20_000, trouble: stall.trouble)
            var stalled = Shipment(news, task: 2, tokens: tokens)
            stalled.renderer = .large
            try await harness.dispatch(stalled)
            let others = Shipment(shop, task: 3, tokens: try PushToken.numbered(stall.others, numbers: 500..<2_500))
            try await harness.dispatch(others)
            var fast = Shipment(shop, task: 4, tokens: try PushToken.numbered(stall.others, numbers: 2_500..<2_550))
            fast.lane = .fast
            try await harness.dispatch(fast)

            #expect(try await results.read(start.count + others.count + fast.count), "\(sender.lines)")
            #expect(results.count("delivered") == start.count + others.count + fast.count)
            let isHandedBack = try await retries.read(stalled.count, of: stalled.task)
            #expect(isHandedBack, "\(retries.devices(of: stalled.task)) are handed back; \(sender.lines)")
            let growth = try sender.residentBytesMost() - before
            #expect(growth < StallTests.growthMaximum, "memory grew by \(growth >> 20) MiB")
            // One window of pushes, plus the probes.
            let asked = try await harness.simulator.count(stall.kind.name, path: "faults", "stall")
            #expect(1...(StallTests.inFlight + 20) ~= asked)
            await results.close()
            await retries.close()
        }
    }

    private let settings = [
        "CARILLON_APNS_IN_FLIGHT": "\(inFlight)", "CARILLON_APNS_REQUEST_LIMIT": "10s",
        "CARILLON_FCM_IN_FLIGHT": "\(inFlight)", "CARILLON_FCM_REQUEST_LIMIT": "15s",
        "CARILLON_HUAWEI_IN_FLIGHT": "\(inFlight)", "CARILLON_HUAWEI_REQUEST_LIMIT": "15s",
    ]
}

extension Renderer {
    /// Nearly the largest payload that providers accept.
    fileprivate static var large: Renderer {
        let text = String(repeating: "x", count: 3_500)
        return Renderer(
            apns: PayloadTemplate(Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)),
            fcm: template(#"{"message":{"data":{"text":"\#(text)"},"token":""#, end: #""}}"#),
            huawei: template(#"{"message":{"data":"\#(text)","token":[""#, end: #""]}}"#))
    }
}
