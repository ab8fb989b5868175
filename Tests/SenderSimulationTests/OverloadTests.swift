import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// A provider that throttles.
@Suite(.timeLimit(.minutes(4))) struct OverloadTests {
    /// Goal: the sender slows down while Apple refuses, returns to full speed afterwards, and loses no device. Method:
    /// the first three hundred pushes are refused, to be retried a second later; the scheduler returns them. The sender
    /// logs when it slows down, and when it is back at full speed.
    @Test func aStormOfRefusalsPasses() async throws {
        try await withHarness { harness in
            let app = try AppID("news")
            let shipment = Shipment(
                app, addressees: try await harness.register(try PushToken.numbered(.apns, numbers: 0..<1_200), in: app))
            for fault in [
                #"{"provider":"apns","kind":"delay","fixed":"50ms"}"#,
                #"{"provider":"apns","kind":"answer","status":429,"reason":"TooManyRequests","retry_after":1,"next":300}"#,
            ] {
                try await harness.simulator.order("/faults", body: fault)
            }
            let sender = try await harness.start("apns-sender", settings: ["CARILLON_APNS_IN_FLIGHT": "32"])
            _ = try await harness.start("scheduler")
            try await harness.whileRendering {
                try await harness.dispatch(shipment)
                #expect(await sender.hasLogged("send window reduced"))
                var results = try await ResultReader(harness.bus)
                #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
                #expect(results.count("delivered") == shipment.count)
                await results.close()
                #expect(await sender.hasLogged("send window fully restored"))
            }
            #expect(try await harness.simulator.count("apns", path: "faults", "TooManyRequests") == 300)
            #expect(try await harness.simulator.count("apns", path: "accepted") == shipment.count)
            #expect(try await harness.simulator.count("apns", path: "most_for_one_device") == 1)
        }
    }
}
