import JSONKit
import PushModel
import TestSupport
import Testing
import Topics

/// Goal: the report matches the providers' answers. Method: devices for which the simulator returns each of the errors
/// about a device, among many valid ones; a second app whose settings Apple rejects; the simulator's own count.
@Suite(.timeLimit(.minutes(10)), .serialized) struct OutcomeTests {
    private static let devices = 2_000
    private static let eachRow = 100
    /// Prefixes of tokens that no provider accepts.
    private static let dead: [(PushProtocol, String)] = [
        (.apns, "dead0410"), (.apns, "dead1410"), (.apns, "bad00400"), (.apns, "bad10400"), (.fcm, "unregistered"),
        (.fcm, "invalid"), (.huawei, "illegal"),
    ]
    /// Prefixes of tokens for which a provider fails every time.
    private static let failing: [(PushProtocol, String)] = [
        (.apns, "fade0500"), (.apns, "fade0503"), (.fcm, "internal"),
    ]

    @Test(arguments: Harness.BusKind.allCases)
    func theReportEqualsTheProvidersCount(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let dead = OutcomeTests.rows(OutcomeTests.dead, topic: "news")
        let failing = OutcomeTests.rows(OutcomeTests.failing, topic: "weary")
        // Devices to be removed come first: removal requires a registration before the second of the rejection.
        let ids = try await harness.ingest.register(dead)
        _ = try await harness.ingest.register(failing)
        let misconfigured = try await harness.ingest.register([TestDevice(1, kind: .apns)], app: "shop")
        let well = OutcomeTests.devices - dead.count - failing.count
        _ = try await harness.ingest.register(TestDevice.mixture(well))

        let task = try await harness.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"There"}}"#)
        let short = #"{"audience":{"all":true},"message":{"body":"x"},"options":{"time_to_live":"5s"}}"#
        let mistaken = try await harness.ingest.post(short, app: "shop")
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.targeted == well + dead.count)
        #expect(report[.delivered] == well)
        #expect(report[.invalid] + report[.invalidRemoved] == dead.count)
        #expect(try await harness.delivered() == well)
        try await removedAreGone(ids, report: report, task: task, harness: harness)

        let tiring = #"{"audience":{"topic":"weary"},"message":{"body":"x"},"options":{"time_to_live":"5s"}}"#
        let weary = try await harness.ingest.post(tiring)
        let outcome = try #require(await harness.reports.report(of: weary), "\(harness.lines)")
        #expect(outcome.targeted == failing.count)
        // After an answer that may follow a delivery, the outcome is unknown.
        #expect(outcome[.expired] + outcome[.failed] + outcome[.unknown] == failing.count)

        // The error in one app's settings kept its device and affected no other app.
        let refused = try #require(await harness.reports.report(of: mistaken), "\(harness.lines)")
        #expect(refused[.expired] == 1)
        #expect(try await harness.ingest.send("GET", "/apps/shop/subscriber/\(misconfigured[0])").status == 200)
        #expect(try await harness.delivered() == well)
        try await harness.close()
    }

    /// Removed devices are unknown to the registry, the others are known.
    private func removedAreGone(
        _ ids: [String], report: TaskReport, task: TaskID, harness: Harness
    ) async throws {
        var removed = 0
        for id in ids {
            let trace = try await harness.ingest.send("GET", "/apps/news/v1/tasks/\(task)/devices/\(id)")
            let isRemoved = try JSON(trace.body)["state"]?.text == "invalid_removed"
            let expected = isRemoved ? 404 : 200
            #expect(try await harness.ingest.answers(expected, path: "/apps/news/subscriber/\(id)"), "\(trace.text)")
            removed += isRemoved ? 1 : 0
        }
        #expect(removed == report[.invalidRemoved])
        #expect(removed > 0)
    }

    private static func rows(_ words: [(PushProtocol, String)], topic: String) -> [TestDevice] {
        words.enumerated().flatMap { row, word in
            (0..<eachRow).map { number in
                TestDevice(1_000_000 + row * eachRow + number, kind: word.0, word: word.1, topics: [topic])
            }
        }
    }
}
