import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing
import Topics

/// Devices that have addresses, each provider with its own form, and all of them in the chunks of one task.
@Suite(.timeLimit(.minutes(4))) struct WebDeliveryTests {
    private static let kinds: [PushProtocol] = [.webpush, .wns, .mpns, .http]
    private static let countOfEach = 300

    /// Goal: each device gets one push, which its provider can read and which is signed as the app signs. Method: the
    /// simulator knows the app's key for browsers, and refuses unsigned pushes over HTTP.
    @Test func everyDeviceGetsOneSignedPush() async throws {
        try await withHarness { harness in
            try await harness.simulator.order(
                "/credentials", body: #"{"provider":"webpush","public_key":"\#(harness.webPushKey.publicText)"}"#)
            try await harness.simulator.order("/credentials", body: #"{"provider":"http","signed":true}"#)
            let shipment = try await WebDeliveryTests.shipment(harness)
            let sender = try await harness.start("web-sender")
            try await harness.dispatch(shipment)
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
            #expect(results.count("delivered") == shipment.count)
            for kind in WebDeliveryTests.kinds {
                let provider = kind.name
                #expect(try await harness.simulator.count(provider, path: "accepted") == WebDeliveryTests.countOfEach)
                let devices = try await harness.simulator.count(provider, path: "distinct_devices")
                #expect(devices == WebDeliveryTests.countOfEach)
                #expect(try await harness.simulator.count(provider, path: "refused") == 0)
                let ofTask = try await harness.simulator.count(provider, path: "tasks", Renderer.collapseID)
                #expect(ofTask == WebDeliveryTests.countOfEach)
            }
            await results.close()
        }
    }

    /// Goal: a key that push services refuse removes no browser. Method: the subscriptions are of another key, so that
    /// each push is answered as one to a browser that cannot be reached.
    @Test func anotherKeyRemovesNoBrowser() async throws {
        try await withHarness { harness in
            let other = try VAPIDKey.generated().publicText
            try await harness.simulator.order("/credentials", body: #"{"provider":"webpush","public_key":"\#(other)"}"#)
            var shipment = Shipment(try AppID("news"), tokens: try harness.tokens(.webpush, numbers: 0..<200))
            try await harness.subscribe(&shipment)
            let sender = try await harness.start("web-sender")
            try await harness.dispatch(shipment)
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(sender.lines)")
            #expect(results.count("invalid") == shipment.count)
            #expect(try await harness.simulator.count("webpush", path: "accepted") == 0)
            await results.close()
        }
    }

    /// The devices of all kinds alternate, so that every chunk has all of them.
    private static func shipment(_ harness: SenderHarness) async throws -> Shipment {
        let tokens = try kinds.map { try harness.tokens($0, numbers: 0..<countOfEach) }
        let mixed = (0..<countOfEach).flatMap { number in tokens.map { $0[number] } }
        var shipment = Shipment(try AppID("news"), tokens: mixed)
        try await harness.subscribe(&shipment)
        return shipment
    }
}
