import PushModel
import Store
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(4))) struct WrongEnvironmentTests {
    /// Goal: tokens of the wrong environment delete no device and do not affect other devices. Method: Apple's sandbox
    /// knows none of ten thousand tokens in a row, while the same app delivers to production devices.
    @Test func badTokensInARowDeleteNoDevice() async throws {
        try await withHarness { harness in
            let app = try AppID("news")
            var developers = Shipment(
                app, task: 1, tokens: try PushToken.numbered(.apns, numbers: 0..<10_000, trouble: "bad00400"))
            for place in developers.addressees.indices {
                developers.addressees[place].device.environment = .sandbox
            }
            let others = Shipment(app, task: 2, tokens: try PushToken.numbered(.apns, numbers: 0..<2_000))
            try await harness.dispatch(developers)
            try await harness.dispatch(others)
            let sender = try await harness.start("apns-sender")
            var results = try await ResultReader(harness.bus)
            let isOver = try await results.read(developers.count + others.count)
            #expect(isOver, "\(results.endings.count) have ended; \(sender.lines)")
            #expect(results.count("invalid_removed") == 0)
            #expect(results.count("invalid") == developers.count)
            #expect(results.count("delivered") == others.count)
            #expect(try await harness.counts(developers)[.invalidRemoved] == 0)
            #expect(
                try await harness.simulator.count("apns", path: "refused_by_reason", "BadDeviceToken")
                    == developers.count)
            await results.close()
        }
    }
}
