import HTTPServer
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// The real program with a real Redis.
@Suite(.timeLimit(.minutes(5))) struct ReporterProcessTests {
    /// Goal: a crash while tasks are closed, reported and posted neither loses nor duplicates a report. Method: a
    /// reporter is killed in the middle of closing many tasks; another one takes over. Each task ends with one report
    /// under one id, with exact sums, and its endpoint has received it.
    @Test func aCrashWhileReportingLosesNothing() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let harness = try await ReporterHarness(endpoint: endpoint.url)
        let devices = try await harness.register(10)
        let tasks = try await harness.begin(80, devices: devices)
        let first = try await harness.startReporter()
        async let ending: Void = end(devices, of: tasks, in: harness)
        #expect(await endpoint.hasPosts(10))
        first.signal(9)
        #expect(await first.end() == .signalled(9))
        try await ending
        let second = try await harness.startReporter()
        let keys = Set(tasks.map { "\($0)/report" })
        var count = keys.count
        while !keys.isSubset(of: endpoint.keys) {
            try #require(await endpoint.hasPosts(count), "\(keys.subtracting(endpoint.keys))")
            count = endpoint.posts.count + 1
        }
        // Posts that the first reporter sent but did not record are repeated when its lease expires.
        try await waitUntil { try await harness.agenda.count() == 0 }
        second.signal(15)
        #expect(await second.end() == .exited(0))

        let reports = try await harness.read(Topics.reports)
        #expect(Set(reports.map(\.id)) == keys)
        #expect(Set(reports).count == tasks.count, "a repeat equals the first report")
        for report in Set(reports) {
            #expect(report.targeted == 10 && report[.delivered] == 8 && report[.failed] == 1)
            #expect(report[.invalidRemoved] == 1 && report.lane == .fast)
            #expect(try await harness.report(of: report.task) == report.encoded())
        }
        #expect(try await harness.registry.device(devices[9], in: harness.app) == nil)
        #expect(try await harness.registry.device(devices[8], in: harness.app) != nil)
        #expect(Set(try await harness.read(Topics.feedback).map(\.id)) == ["news/\(devices[9])"])
        await endpoint.stop()
    }

    /// Goal: a crash while states are posted loses none, and keeps those of each message in order. Method: a reporter is
    /// killed after some posts; another one goes on. A request that comes again has the same bytes under its key.
    @Test func aCrashWhileStatesArePostedLosesNothing() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let harness = try await ReporterHarness(endpoint: endpoint.url, isWebhook: true)
        let devices = try await harness.register(1)
        let tasks = try await harness.begin(80, devices: devices, areMessages: true)
        let first = try await harness.startReporter()
        try await harness.accept(tasks)
        async let ending: Void = harness.end(devices, of: tasks, as: .delivered)
        #expect(await endpoint.hasPosts(8))
        first.signal(9)
        #expect(await first.end() == .signalled(9))
        try await ending
        let second = try await harness.startReporter()
        let all = Set(tasks.flatMap { ["\($0) pending", "\($0) delivered"] })
        try await waitUntil { try all.isSubset(of: endpoint.states.map(\.text)) }
        second.signal(15)
        #expect(await second.end() == .exited(0))

        let states = try endpoint.states
        #expect(Set(states.map(\.text)) == all)
        for task in tasks {
            let told = states.filter { $0.key == "\(task)" }.map(\.status)
            #expect(told.first == "pending" && told.firstIndex(of: "delivered") == 1, "\(told)")
        }
        #expect(endpoint.posts.allSatisfy { $0.headers["X-CTX-Secret"] == "s3cret" })
        await endpoint.stop()
    }

    /// A process must not write to a store whose format it does not know.
    @Test func aStoreOfANewerFormatEndsTheProcess() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let harness = try await ReporterHarness(endpoint: endpoint.url)
        let reporter = try await harness.startReporter()
        try await harness.upgradeStore(to: 3)
        #expect(await reporter.line { $0.contains("Redis is kept in format 3") } != nil)
        #expect(await reporter.end() == .exited(1))
        await endpoint.stop()
    }

    private func end(_ devices: [DeviceID], of tasks: [TaskID], in harness: ReporterHarness) async throws {
        for task in tasks {
            try await harness.end(Array(devices[..<8]), of: [task], as: .delivered)
            try await harness.end([devices[8]], of: [task], as: .failed)
            try await harness.end([devices[9]], of: [task], as: .invalidRemoved)
        }
    }
}

extension Endpoint {
    fileprivate var keys: Set<String> { Set(posts.compactMap { $0.headers["Idempotency-Key"] }) }

    /// The states of all requests, each request once.
    fileprivate var states: [StateFixture.Entry] {
        get throws {
            var bodies: [String: [UInt8]] = [:]
            return try posts.flatMap { post in
                let key = try #require(post.headers["X-Idempotency-Key"])
                let known = bodies.updateValue(post.body, forKey: key)
                #expect(known == nil || known == post.body, "a repeat has the same bytes")
                return known == nil ? try StateFixture.entries(post) : []
            }
        }
    }
}

extension StateFixture.Entry {
    fileprivate var text: String { "\(key) \(status)" }
}
