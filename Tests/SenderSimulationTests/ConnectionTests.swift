import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Connections to a provider close, cleanly or not: no device is lost, and none gets more pushes than necessary.
@Suite(.timeLimit(.minutes(4))) struct ConnectionTests {
    /// The simulator sends GOAWAY after a thousand requests, as Apple does; `CARILLON_TEST_SENDS` sets a longer run.
    @Test func goodbyesLoseAndRepeatNothing() async throws {
        let asked = EnvironmentReader.processEnvironment()["CARILLON_TEST_SENDS"].flatMap { Int($0) }
        try await withHarness { harness in
            try await harness.simulator.order("/connections", body: #"{"provider":"apns","goodbye_after":1000}"#)
            let shipment = Shipment(
                try AppID("news"), tokens: try PushToken.numbered(.apns, numbers: 0..<(asked ?? 50_000)))
            try await harness.dispatch(shipment)
            let sender = try await harness.start("apns-sender")
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
            #expect(results.count("delivered") == shipment.count)
            #expect(try await harness.counts(shipment)[.delivered] == shipment.count)
            #expect(try await harness.simulator.count("apns", path: "distinct_devices") == shipment.count)
            #expect(try await harness.simulator.count("apns", path: "most_for_one_device") == 1)
            #expect(try await harness.simulator.count("apns", path: "connections") >= shipment.count / 1_000)
            await results.close()
        }
    }

    /// Goal: a cut connection loses nothing, and repeats only pushes without an answer, which Apple and the device
    /// recognize as repeats. Method: one push in five hundred cuts its connection, before or after its delivery; the
    /// scheduler retries pushes without an answer. Every second delivery to a device must be one that the sender
    /// counted as unknown, with the id and collapse id of the first.
    @Test func cutConnectionsRepeatOnlyWhatHadNoAnswer() async throws {
        try await withHarness { harness in
            let app = try AppID("news")
            let shipment = Shipment(
                app, addressees: try await harness.register(try PushToken.numbered(.apns, numbers: 0..<2_000), in: app))
            for isDelivered in [false, true] {
                try await harness.simulator.order(
                    "/faults", body: #"{"provider":"apns","kind":"drop","share":0.002,"delivered":\#(isDelivered)}"#)
            }
            let sender = try await harness.start("apns-sender", settings: ["CARILLON_APNS_IN_FLIGHT": "100"])
            _ = try await harness.start("scheduler")
            try await harness.whileRendering {
                try await harness.dispatch(shipment)
                var results = try await ResultReader(harness.bus)
                #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
                #expect(results.count("delivered") == shipment.count)
                await results.close()
            }
            let unknown = try await sender.metric(#"carillon_sender_pushes_total{outcome="unknown"}"#)
            let accepted = try await harness.simulator.count("apns", path: "accepted")
            #expect(try await harness.simulator.count("apns", path: "faults", "drop") > 0)
            #expect(try await harness.simulator.count("apns", path: "distinct_devices") == shipment.count)
            #expect(1...unknown ~= accepted - shipment.count)
            #expect(try await harness.simulator.count("apns", path: "repeated") == accepted - shipment.count)
            #expect(try await harness.simulator.count("apns", path: "tasks", Renderer.collapseID) == accepted)
        }
    }
}
