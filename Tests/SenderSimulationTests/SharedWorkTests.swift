import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Several senders, and senders that are killed.
@Suite(.timeLimit(.minutes(4))) struct SharedWorkTests {
    /// Goal: the ledger lets only one of two senders claim a device. Method: every chunk is on the bus twice, in
    /// partitions of which each sender has a part, and answers are slow enough for both to work on it at the same time.
    @Test func twoSendersWithTheSameChunksSendNothingTwice() async throws {
        try await withHarness { harness in
            try await harness.simulator.order("/faults", body: #"{"provider":"apns","kind":"delay","fixed":"50ms"}"#)
            // A sender with few deliveries in progress leaves others for the second one.
            let settings = ["CARILLON_APNS_IN_FLIGHT": "50", "CARILLON_APNS_CONCURRENCY": "2"]
            let senders = try await harness.startTwo(
                "apns-sender", reading: Topics.dispatchAPNs.channel(.bulk), settings: settings)
            var shipment = Shipment(try AppID("news"), tokens: try PushToken.numbered(.apns, numbers: 0..<4_000))
            shipment.devicesPerChunk = 50
            try await harness.dispatch(shipment, times: 2)
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count); \(senders.map(\.lines))")
            #expect(results.count("delivered") == shipment.count)
            #expect(try await harness.simulator.count("apns", path: "distinct_devices") == shipment.count)
            #expect(try await harness.simulator.count("apns", path: "most_for_one_device") == 1)
            for sender in senders {
                #expect(try await sender.metric(#"carillon_sender_pushes_total{outcome="answered"}"#) > 0)
            }
            await results.close()
        }
    }

    struct Killed: Sendable, CustomTestStringConvertible {
        let program: String
        let kinds: [PushProtocol]
        let settings: [String: String]
        /// Pushes of all providers together that may wait for an answer at the same time.
        let inFlight: Int

        var testDescription: String { program }
    }

    /// The claims of a killed sender expire after about ten seconds, and a running one settles one delivery after
    /// another.
    static let killed = [
        Killed(
            program: "apns-sender", kinds: [.apns],
            settings: [
                "CARILLON_APNS_IN_FLIGHT": "100", "CARILLON_APNS_REQUEST_LIMIT": "2s",
                "CARILLON_APNS_LEASE_MARGIN": "1s", "CARILLON_APNS_CONCURRENCY": "1",
            ], inFlight: 100),
        Killed(
            program: "android-sender", kinds: [.fcm, .huawei],
            settings: [
                "CARILLON_FCM_IN_FLIGHT": "100", "CARILLON_FCM_REQUEST_LIMIT": "3s",
                "CARILLON_HUAWEI_IN_FLIGHT": "100", "CARILLON_HUAWEI_REQUEST_LIMIT": "3s",
                "CARILLON_ANDROID_TOKEN_LIMIT": "1s", "CARILLON_ANDROID_LEASE_MARGIN": "1s",
                "CARILLON_ANDROID_CONCURRENCY": "1",
            ], inFlight: 200),
    ]

    /// Goal: a sender killed at any moment loses no device, and repeats at most the pushes in flight, with the same
    /// ids, both at the provider and on `results`. Method: it is killed after a part of its devices has ended, and
    /// restarted; the scheduler returns the devices that it had claimed.
    @Test(arguments: killed) func aKilledSenderLosesNothing(_ killed: Killed) async throws {
        try await withHarness { harness in
            for kind in killed.kinds {
                try await harness.simulator.order(
                    "/faults", body: #"{"provider":"\#(kind.name)","kind":"delay","fixed":"200ms"}"#)
            }
            let tokens = try killed.kinds.flatMap {
                try PushToken.numbered($0, numbers: 0..<(3_000 / killed.kinds.count))
            }
            let app = try AppID("news")
            let shipment = Shipment(app, addressees: try await harness.register(tokens, in: app))
            var results = try await ResultReader(harness.bus)
            _ = try await harness.start("scheduler")
            try await harness.whileRendering {
                try await harness.dispatch(shipment)
                let former = try await harness.start(killed.program, settings: killed.settings)
                #expect(try await results.read(500), "\(results.endings.count) have ended; \(former.lines)")
                // The ledger is updated directly after the results; the next results need further answers.
                let reported = Set(results.endings.keys)
                try await waitUntil { try await harness.unreported(shipment).isDisjoint(with: reported) }
                await former.kill9()
                #expect(try await harness.counts(shipment).open > 0, "the task ended before the crash")
                let next = try await harness.start(killed.program, settings: killed.settings)
                #expect(try await results.read(shipment.count), "\(results.endings.count) have ended; \(next.lines)")
            }
            #expect(results.count("delivered") == shipment.count)
            #expect(results.repeated <= killed.inFlight, "on results")
            var extra = 0
            for kind in killed.kinds {
                let devices = try await harness.simulator.count(kind.name, path: "distinct_devices")
                let accepted = try await harness.simulator.count(kind.name, path: "accepted")
                #expect(devices == shipment.count / killed.kinds.count)
                #expect(try await harness.simulator.count(kind.name, path: "repeated") == accepted - devices)
                extra += accepted - devices
            }
            #expect(extra <= 2 * killed.inFlight, "as many again may be answered but not yet in the ledger")
            await results.close()
        }
    }
}
