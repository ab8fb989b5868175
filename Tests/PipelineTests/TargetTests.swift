import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Targeting as seen from outside. The scenarios of one bus share a harness, and each has its own devices.
@Suite(.timeLimit(.minutes(10))) struct TargetTests {
    @Test(arguments: Harness.BusKind.allCases)
    func whoIsMeantGetsOnePush(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        try await harness.slowProviders()
        async let several: Void = aDeviceSubscribedToThreeOfTheTopicsGetsOnePush(harness)
        async let changed: Void = aSubscriptionChangedHalfWayDoesNotChangeTheTask(harness)
        async let listed: Void = aListInPartsIsComplete(harness)
        async let cancelled: Void = aCancelledTaskEndsWithExactSums(harness)
        _ = try await (several, changed, listed, cancelled)
        try await harness.close()
    }

    private func aDeviceSubscribedToThreeOfTheTopicsGetsOnePush(_ harness: Harness) async throws {
        let topics = ["breaking-news", "sports", "culture"]
        _ = try await harness.ingest.register(TestDevice.mixture(30, topics: topics))
        let task = try await harness.ingest.post(
            #"{"audience":{"any":[{"topic":"breaking-news"},{"topic":"sports"},{"topic":"culture"}]},"message":{"body":"x"}}"#
        )
        try await everyOne(of: 30, wasReachedBy: task, harness: harness, story: "three topics")
    }

    /// The audience is fixed when the task is resolved; later changes of subscriptions have no effect.
    private func aSubscriptionChangedHalfWayDoesNotChangeTheTask(_ harness: Harness) async throws {
        let ids = try await harness.ingest.register(TestDevice.mixture(2_000, from: 10_000, topics: ["fickle"]))
        let task = try await harness.ingest.post(#"{"audience":{"topic":"fickle"},"message":{"body":"x"}}"#)
        try await harness.hasResolved(task)
        for id in ids.suffix(20) {
            let path = "/apps/news/subscriber/\(id)/subscriptions/fickle"
            #expect(try await harness.ingest.send("DELETE", path).status == 204)
        }
        _ = try await harness.ingest.register([TestDevice(15_000, kind: .apns, topics: ["fickle"])])
        try await everyOne(of: 2_000, wasReachedBy: task, harness: harness, story: "changed half-way")
    }

    private func aListInPartsIsComplete(_ harness: Harness) async throws {
        let count = 2_000
        let devices = (0..<count).map { TestDevice(20_000 + $0, kind: .apns, topics: [], user: "user-\($0)") }
        _ = try await harness.ingest.register(devices)
        // Most of the listed users are unknown: a list need not match the registry.
        let users = JSONText.array((0..<30_000).map { "user-\($0)" })
        let task = try await harness.ingest.post(#"{"users":\#(users),"message":{"body":"x"}}"#)
        try await everyOne(of: count, wasReachedBy: task, harness: harness, story: "a list")
    }

    private func aCancelledTaskEndsWithExactSums(_ harness: Harness) async throws {
        _ = try await harness.ingest.register(
            (0..<3_000).map { TestDevice(30_000 + $0, kind: .apns, topics: ["brief"]) })
        let task = try await harness.ingest.post(#"{"audience":{"topic":"brief"},"message":{"body":"x"}}"#)
        try await harness.hasDelivered(1, of: task)
        #expect(try await harness.ingest.send("POST", "/apps/news/v1/tasks/\(task)/cancel").status == 202)
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.isCancelled)
        #expect(report[.delivered] + report[.cancelled] == 3_000)
        #expect(report[.cancelled] > 0)
        #expect(try await harness.delivered(task) == report[.delivered])
    }

    private func everyOne(
        of count: Int, wasReachedBy task: TaskID, harness: Harness, story: Comment
    ) async throws {
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.targeted == count, story)
        #expect(report[.delivered] == count, story)
        #expect(try await harness.delivered(task) == count, story)
    }
}
