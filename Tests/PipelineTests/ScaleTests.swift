import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Goal: processes of a service share its work, and may join and leave while a task runs. Method: two of each in one
/// group; senders with small windows and slow providers, so that most of the task is still to come; two senders join,
/// one stops, one is killed; the report is compared with the simulator's count and with the metrics of each process.
@Suite(.timeLimit(.minutes(10))) struct ScaleTests {
    private static let devices = 50_000
    private static let listed = 30_000
    /// Devices that the killed sender may have claimed: it takes dispatch chunks of 128 KiB at a time, and the one that
    /// exceeds them; a token of Google or Huawei has 55 bytes, and a chunk the devices of one for an audience.
    private static let claimedMaximum = (128 << 10) / 55 + AudienceChunk.devicesMaximum
    private static let settings = [
        "CARILLON_APNS_CONCURRENCY": "1", "CARILLON_APNS_IN_FLIGHT": "200",
        "CARILLON_ANDROID_CONCURRENCY": "1", "CARILLON_FCM_IN_FLIGHT": "200",
        // Thirty consumers would keep the mock brokers busy with empty answers.
        "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "50",
    ]
    /// Topics with the work of a broadcast.
    private static let busy = [
        "targeting-resolver": "segments.bulk", "renderer": "audience.bulk", "apns-sender": "dispatch.apns.bulk",
        "android-sender": "dispatch.android.bulk", "reporter": "results",
    ]

    @Test func processesComeAndGoWhileATaskRuns() async throws {
        let harness = try await Harness(
            .kafka, changes: Self.settings,
            instances: Dictionary(uniqueKeysWithValues: Harness.services.map { ($0, 2) }))
        let devices = TestDevice.mixture(Self.devices, topics: [])
        try await harness.fill(
            devices.enumerated().map { number, device in
                var device = device
                if number < Self.listed { device.user = "user-\(number)" }
                return device
            })
        try await aTaskForAll(harness)
        try await aListInParts(harness)
        try await harness.close()
    }

    private func aTaskForAll(_ harness: Harness) async throws {
        try await harness.slowProviders()
        let task = try await harness.ingest.post(#"{"audience":{"all":true},"message":{"body":"There"}}"#)
        try await harness.hasEnded(Self.devices / 10, of: task)
        let joined = [try await harness.join("apns-sender"), try await harness.join("android-sender")]
        for process in joined { try await Self.hasPartitions(process) }
        // The processes to stop and to kill must have work again.
        let ended = try await harness.ended(task)
        try await harness.hasEnded(ended + 1_000, of: task)
        let leaving = try harness.dismiss("apns-sender")
        let dying = try harness.dismiss("android-sender")
        await dying.kill()
        #expect(await leaving.stop() == .exited(0), "\(leaving.lines)")
        #expect(try await harness.ended(task) < Self.devices * 8 / 10)

        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.targeted == Self.devices)
        #expect(report[.delivered] == Self.devices)
        #expect(Set(harness.reports.all(of: task).map(\.id)).count == 1)
        #expect(try await harness.sum("distinct_devices") == Self.devices)
        // A process that stops cleanly repeats nothing; pushes in flight in the killed one are repeated and recognized.
        #expect(
            try await harness.sum("accepted", providers: ["apns"])
                == harness.sum("distinct_devices", providers: ["apns"]))
        let repeated = try await harness.delivered() - Self.devices
        #expect(repeated <= Self.claimedMaximum)
        #expect(try await harness.sum("repeated") == repeated)
        try await everyServiceSharedItsWork(harness, joined: joined)
    }

    private func everyServiceSharedItsWork(_ harness: Harness, joined: [ServiceProcess]) async throws {
        for (service, channel) in Self.busy where !service.hasSuffix("-sender") {
            for process in harness.running(service) {
                let handled = try await process.value("carillon_bus_messages_handled_total", of: channel)
                #expect(handled > 0, "\(service) on \(channel)")
            }
        }
        // The remaining work is on few partitions when they join, so one of the two may get none of it.
        var handled = 0
        for process in joined {
            handled += try await process.value(
                "carillon_bus_messages_handled_total", of: try #require(Self.busy[process.name]))
        }
        #expect(handled > 0)
    }

    private func aListInParts(_ harness: Harness) async throws {
        for path in ["/faults", "/stats"] { try await harness.simulator.admin("DELETE", path) }
        let users = JSONText.array((0..<Self.listed).map { "user-\($0)" })
        let task = try await harness.ingest.post(#"{"users":\#(users),"message":{"body":"x"}}"#)
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.targeted == Self.listed)
        #expect(report[.delivered] == Self.listed)
        #expect(try await harness.delivered() == Self.listed)
        #expect(try await harness.sum("distinct_devices") == Self.listed)
    }

    private static func hasPartitions(_ process: ServiceProcess) async throws {
        let channel = try #require(busy[process.name])
        try await waitUntil { try await process.value("carillon_bus_assigned_partitions", of: channel) > 0 }
    }
}
