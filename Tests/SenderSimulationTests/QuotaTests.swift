import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(4))) struct QuotaTests {
    private static let perMinute = 12_000
    private static let burst = perMinute / 60
    /// The last push waits slightly less than the longest time for which a sender waits for a quota.
    private static let count = burst + 4 * burst + burst / 2

    /// Goal: all senders together keep a project's quota. Method: two senders with more pushes than the quota; by the
    /// simulator's arrival times, never more may have arrived than the bucket gave since the start.
    @Test func twoSendersShareTheQuotaOfAProject() async throws {
        try await withHarness(simulator: ["CARILLON_SIMULATOR_KEPT_PUSHES": "\(QuotaTests.count)"]) { harness in
            let settings = [
                "CARILLON_FCM_PUSHES_PER_MINUTE": "\(QuotaTests.perMinute)", "CARILLON_ANDROID_CONCURRENCY": "1",
            ]
            let senders = try await harness.startTwo(
                "android-sender", reading: Topics.dispatchAndroid.channel(.bulk), settings: settings)
            var shipment = Shipment(
                try AppID("news"), tokens: try PushToken.numbered(.fcm, numbers: 0..<QuotaTests.count))
            shipment.devicesPerChunk = 50
            let started = SystemTimeSource().now
            try await harness.dispatch(shipment)
            var results = try await ResultReader(harness.bus)
            #expect(try await results.read(shipment.count), "\(results.endings.count); \(senders.map(\.lines))")
            #expect(results.count("delivered") == shipment.count)
            await results.close()
            for sender in senders {
                #expect(try await sender.metric(#"carillon_sender_pushes_total{outcome="answered"}"#) > 0)
            }
            let arrivals = try await harness.simulator.arrivals("fcm", count: shipment.count)
            #expect(arrivals.count == shipment.count)
            for (number, arrival) in arrivals.enumerated() {
                let seconds = (arrival - started).inSeconds
                let given = Double(QuotaTests.burst) + seconds * Double(QuotaTests.perMinute) / 60
                #expect(Double(number + 1) <= given, "\(number + 1) pushes within \(seconds) s")
            }
        }
    }
}

extension SimulatorProcess {
    /// Arrival times of the last `count` pushes, in ascending order.
    fileprivate func arrivals(_ provider: String, count: Int) async throws -> [Timestamp] {
        let answer = try JSON(
            try await admin("GET", "/pushes/\(provider)?limit=\(count)").body,
            limits: JSONLimits(bytesMaximum: 16 << 20, valuesMaximum: 1_000_000, containersMaximum: 100_000))
        return (answer.elements ?? []).compactMap { Timestamp(rfc3339: $0["received"]?.text ?? "") }.sorted()
    }
}
