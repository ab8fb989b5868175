import PushModel
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(4))) struct HuaweiBatchTests {
    /// A request contains as many devices as one claim: at most 256.
    @Test func aThousandDevicesLeaveInFewRequests() async throws {
        try await withHarness { harness in
            var shipment = Shipment(try AppID("news"), tokens: try PushToken.numbered(.huawei, numbers: 0..<1_000))
            shipment.devicesPerChunk = shipment.count
            try await harness.dispatch(shipment)
            let sender = try await harness.start("android-sender")
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
            #expect(results.count("delivered") == shipment.count)
            #expect(try await harness.simulator.count("huawei", path: "accepted") == shipment.count)
            #expect(try await harness.simulator.count("huawei", path: "most_for_one_device") == 1)
            // One of the requests is for the access token.
            #expect(try await harness.simulator.count("huawei", path: "requests") <= 5)
            await results.close()
        }
    }
}
