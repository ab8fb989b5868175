import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// A provider that fails every request for a while.
@Suite(.timeLimit(.minutes(4))) struct OutageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let program: String
        let kind: PushProtocol
        let fault: String

        var testDescription: String { "\(kind.name) \(fault)" }
    }

    static let cases = [
        Case(program: "apns-sender", kind: .apns, fault: #""status":503,"reason":"ServiceUnavailable""#),
        Case(program: "apns-sender", kind: .apns, fault: #""status":500,"reason":"InternalServerError""#),
        Case(program: "android-sender", kind: .fcm, fault: #""status":503,"reason":"UNAVAILABLE","retry_after":1"#),
    ]

    /// Goal: an outage costs one window of pushes and then one probe for each pause; a crash during it loses no device,
    /// and every device gets its push afterwards. Method: a provider that fails every request, and short pauses; sender
    /// and scheduler are killed and restarted meanwhile.
    @Test(arguments: cases) func anOutageIsProbedAndLosesNoDevice(_ story: Case) async throws {
        try await withHarness { harness in
            let app = try AppID("news")
            let tokens = try PushToken.numbered(story.kind, numbers: 0..<2_000)
            let shipment = Shipment(app, addressees: try await harness.register(tokens, in: app))
            let fault = #"{"provider":"\#(story.kind.name)","kind":"answer",\#(story.fault)}"#
            for order in [#"{"provider":"\#(story.kind.name)","kind":"delay","fixed":"50ms"}"#, fault] {
                try await harness.simulator.order("/faults", body: order)
            }
            let settings = [
                "CARILLON_APNS_IN_FLIGHT": "32", "CARILLON_FCM_IN_FLIGHT": "32", "CARILLON_SENDER_OUTAGE_PAUSE": "2s",
                "CARILLON_SENDER_OUTAGE_PAUSE_LONGEST": "4s", "CARILLON_APNS_REQUEST_LIMIT": "2s",
                "CARILLON_APNS_LEASE_MARGIN": "2s", "CARILLON_FCM_REQUEST_LIMIT": "2s",
                "CARILLON_ANDROID_LEASE_MARGIN": "2s", "CARILLON_ANDROID_TOKEN_LIMIT": "1s",
            ]
            let sender = try await harness.start(story.program, settings: settings)
            let scheduler = try await harness.start("scheduler", settings: ["CARILLON_SCHEDULER_LEASE": "3s"])
            try await harness.whileRendering {
                try await harness.dispatch(shipment)
                #expect(await sender.hasLogged("provider outage started"))
                #expect(try await sender.metric("carillon_sender_provider_outages") == 1)
                await sender.kill9()
                await scheduler.kill9()
                let before = try await harness.simulator.count(story.kind.name, path: "requests")
                let next = try await harness.start(story.program, settings: settings)
                _ = try await harness.start("scheduler", settings: ["CARILLON_SCHEDULER_LEASE": "3s"])
                // During several pauses the sender sends only probes.
                let started = SystemTimeSource().uptime
                var probes = 0
                let areEnough = try await waitUntil(within: .seconds(60)) {
                    probes = try await harness.simulator.count(story.kind.name, path: "requests") - before
                    return probes >= 4 && SystemTimeSource().uptime - started >= .seconds(8)
                }
                #expect(areEnough, "\(next.lines.suffix(5))")
                #expect(probes <= 20, "\(next.lines.suffix(5))")
                #expect(try await harness.counts(shipment)[.delivered] == 0)
                var results = try await ResultReader(harness.bus)
                _ = try await harness.simulator.admin("DELETE", "/faults")
                #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(next.lines)")
                #expect(results.count("delivered") == shipment.count)
                await results.close()
            }
            #expect(try await harness.simulator.count(story.kind.name, path: "distinct_devices") == shipment.count)
            #expect(try await harness.simulator.count(story.kind.name, path: "most_for_one_device") == 1)
        }
    }
}
