import HTTPServer
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// The real program on a real Redis.
@Suite(.timeLimit(.minutes(2))) struct ReporterProcessTests {
    /// Goal: a crash while tasks are closed, reported and posted loses no report and makes no second one. Method: a reporter
    /// is killed in the middle of closing many tasks; another one takes over. Each task ends with one report under one id,
    /// with exact sums, and its endpoint has heard of it.
    @Test func aCrashWhileReportingLosesNothing() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let house = try await ReporterHarness(endpoint: endpoint.url)
        let devices = try await house.register(10)
        let tasks = try await house.begin(80, devices)
        let first = try await house.startReporter()
        async let ending: Void = end(devices, of: tasks, in: house)
        #expect(await endpoint.hasPosts(10))
        first.signal(9)
        #expect(await first.end() == .signalled(9))
        try await ending
        let second = try await house.startReporter()
        let keys = Set(tasks.map { "\($0)/report" })
        var count = keys.count
        while !keys.isSubset(of: endpoint.keys) {
            try #require(await endpoint.hasPosts(count), "\(keys.subtracting(endpoint.keys))")
            count = endpoint.posts.count + 1
        }
        // Of what the first one posted and did not note, the second hears when the lease is over.
        try await waitUntil { try await house.agenda.count() == 0 }
        second.signal(15)
        #expect(await second.end() == .exited(0))

        let reports = try await house.read(Topics.reports)
        #expect(Set(reports.map(\.id)) == keys)
        #expect(Set(reports).count == tasks.count, "a repeat is the same")
        for report in Set(reports) {
            #expect(report.targeted == 10 && report[.delivered] == 8 && report[.failed] == 1)
            #expect(report[.invalidRemoved] == 1 && report.lane == .fast)
            #expect(try await house.report(of: report.task) == report.encoded())
        }
        #expect(try await house.registry.device(devices[9], in: house.app) == nil)
        #expect(try await house.registry.device(devices[8], in: house.app) != nil)
        #expect(Set(try await house.read(Topics.feedback).map(\.id)) == ["news/\(devices[9])"])
        await endpoint.stop()
    }

    /// Whatever else it was doing, it must not touch what it would misread.
    @Test func aStoreOfANewerFormatEndsTheProcess() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let house = try await ReporterHarness(endpoint: endpoint.url)
        let reporter = try await house.startReporter()
        try await house.upgradeStore(to: 2)
        #expect(await reporter.line { $0.contains("Redis is kept in format 2") } != nil)
        #expect(await reporter.end() == .exited(1))
        await endpoint.stop()
    }

    private func end(_ devices: [DeviceID], of tasks: [TaskID], in house: ReporterHarness) async throws {
        for task in tasks {
            try await house.end(Array(devices[..<8]), of: [task], as: .delivered)
            try await house.end([devices[8]], of: [task], as: .failed)
            try await house.end([devices[9]], of: [task], as: .invalidRemoved)
        }
    }
}

extension Endpoint {
    fileprivate var keys: Set<String> { Set(posts.compactMap { $0.headers["Idempotency-Key"] }) }
}
