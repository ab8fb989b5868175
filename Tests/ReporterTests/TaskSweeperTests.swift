import Apps
import Bus
import HTTPClient
import HTTPServer
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

/// Handler and sweeper together, as in the service, with a bus and stores in memory.
@Suite(.timeLimit(.minutes(5))) struct TaskSweeperTests {
    /// Runs a reporter during the body; the app's endpoint, if any, is on loopback.
    private func withReporter(
        _ fixture: ReporterFixture, endpoint: Endpoint? = nil, body: () async throws -> Void
    ) async throws {
        var reader = EnvironmentReader(["CARILLON_REPORTER_ALLOW_ADDRESSES": "127.0.0.1, ::1"])
        let configuration = ReporterConfiguration(environment: &reader)
        try reader.finish()
        var app = PushApp(id: fixture.app)
        app.report = endpoint.map { ReportEndpoint(url: $0.url) }
        let (known, environment) = (app, fixture.environment)
        let client = HTTPClient(configuration: configuration.webhook, log: environment.log, metrics: Metrics())
        let parts = ReporterParts(
            stores: fixture.stores(), opens: fixture.opens, registry: fixture.registry,
            producer: try await fixture.bus.makeProducer(ProducerOptions()), client: client, app: { _ in known },
            configuration: configuration, environment: environment)
        let channel = Topics.results.channel
        let worker = Worker(
            channel: channel, group: "reporter", handler: parts.handler, options: WorkerOptions(),
            consumer: try await fixture.bus.makeConsumer(ConsumerOptions(channel: channel, group: "reporter")),
            producer: try await fixture.bus.makeProducer(ProducerOptions()), environment: environment)
        try await withCleanup({ await client.close(within: .zero) }) {
            try await withRunning([parts.sweeper, worker], body: body)
        }
    }

    /// Waits until `count` reports are on the bus.
    private func reports(_ fixture: ReporterFixture, count: Int) async throws -> [TaskReport] {
        let reader = try await fixture.bus.makeConsumer(
            ConsumerOptions(channel: Topics.reports.channel, group: "analyst"))
        var reports: [TaskReport] = []
        while reports.count < count, let delivery = await reader.next() {
            reports += try delivery.messages.map { try TaskReport(decoding: $0.value) }
            reader.complete(delivery)
        }
        await reader.close()
        return reports
    }

    @Test func theLastResultOfATaskBringsItsReport() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(40)
        let task = try fixture.begin(1, devices: ids)
        // Not due for a long time: only results can trigger the check.
        fixture.agenda.postpone(task.id, until: fixture.time.now + .seconds(1_000))
        fixture.time.advance(by: .seconds(1))
        try await withReporter(fixture) {
            try await fixture.end(Array(ids[..<39]), task: task.id, as: .delivered)
            try await fixture.end([ids[39]], task: task.id, as: .invalidRemoved)
            // Results may have arrived during a check; the next check follows after the task's pause.
            #expect(await fixture.time.hasSleepers(1))
            fixture.time.advance(by: CheckQueue.rest)
            let report = try #require(try await reports(fixture, count: 1).first)
            #expect(report[.delivered] == 39 && report[.invalidRemoved] == 1)
        }
        #expect(try fixture.registry.device(ids[39], in: fixture.app) == nil)
        #expect(try await fixture.read(Topics.feedback).map(\.id) == ["news/\(ids[39])"])
        #expect(
            fixture.metrics.counter(.reporterResults, labels: ["state": "delivered", "provider": "apns"]).value == 39)
    }

    /// Goal: tasks without results are closed when they are due. Method: one without devices, one whose devices are
    /// never sent; the clock is advanced to the deadline.
    @Test func theAgendaWakesWhatNoResultDoes() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(5)
        let empty = try fixture.begin(1, devices: [])
        let untried = try fixture.begin(2, devices: ids, timeToLive: .seconds(30))
        let reported = fixture.metrics.counter(.reporterTasksReported, labels: ["lane": "bulk"])
        let expired = fixture.metrics.counter(.reporterResults, labels: ["state": "expired", "provider": "apns"])
        try await withReporter(fixture) {
            let first = try await reports(fixture, count: 1)
            #expect(first.map(\.task) == [empty.id])
            var turned = 0
            while reported.value < 2 || expired.value < 5, turned < 120 {
                #expect(await fixture.time.hasSleepers(1))
                fixture.time.advance(by: .seconds(1))
                turned += 1
            }
            #expect(turned >= 29)
        }
        let report = try #require(try await fixture.reports().last)
        #expect(report.task == untried.id && report[.expired] == 5)
        #expect(fixture.agenda.count() == 0)
        #expect(expired.value == 5)
    }

    /// Goal: a flood of tasks without devices is closed as fast as they are checked. Method: the clock stands still, so
    /// that the agenda is not read again for its interval.
    @Test func manyDueTasksDoNotWaitForTheInterval() async throws {
        let fixture = try ReporterFixture()
        let tasks = try (1...200).map { try fixture.begin($0, devices: []).id }
        try await withReporter(fixture) {
            let reported = try await reports(fixture, count: tasks.count)
            #expect(Set(reported.map(\.task)) == Set(tasks))
        }
    }

    @Test func anEndpointHearsOfIt() async throws {
        let fixture = try ReporterFixture()
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let task = try fixture.begin(1, devices: [])
        try await withReporter(fixture, endpoint: endpoint) {
            #expect(await endpoint.hasPosts(1))
        }
        #expect(endpoint.posts.first?.headers["Idempotency-Key"] == "\(task.id)/report")
        #expect(fixture.agenda.count() == 0, "a stop finishes the work in progress")
        await endpoint.stop()
    }

    @Test func aWrongRangeIsNamedAtTheStart() {
        var reader = EnvironmentReader(["CARILLON_REPORTER_ALLOW_ADDRESSES": "10.0.0.0/8,10.0.0.1/8"])
        _ = ReporterConfiguration(environment: &reader)
        #expect(reader.problems.map(\.variable) == ["CARILLON_REPORTER_ALLOW_ADDRESSES"])
    }
}
