import Apps
import Bus
import HTTPClient
import HTTPServer
import JSONKit
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Signing
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

/// Posts reports to endpoints on loopback.
@Suite(.timeLimit(.minutes(5))) struct ReportPosterTests {
    private let fixture: ReporterFixture
    private let folder = TemporaryDirectory("reporter")

    init() throws {
        fixture = try ReporterFixture()
    }

    /// Closes a task up to the post to its endpoint, and posts its report `times` times.
    private func post(
        _ endpoint: Endpoint, times: Int = 1, pause: Duration = .zero, allowsLoopback: Bool = true,
        deadline: Duration = .seconds(30), files: (authorization: String?, signing: String?) = (nil, nil),
        patience: Duration = .seconds(3_600), change: (inout PushTask) -> Void = { _ in }
    ) async throws -> PushTask {
        let task = try await closed(change)
        let closer = try await fixture.closer(expectsReports: true)
        var configuration = HTTPClientConfiguration(name: "test")
        configuration.deadline = deadline
        let client = HTTPClient(configuration: configuration, log: fixture.environment.log, metrics: Metrics())
        let poster = try await poster(
            client, app: try app(endpoint.url, files: files), closer: closer, hold: deadline + ReporterFixture.lease,
            allowsLoopback: allowsLoopback, patience: patience)
        for _ in 0..<times {
            guard case .notify(let report) = try await closer.check(task.check) else {
                break
            }
            await poster.post(report)
            fixture.time.advance(by: pause)
        }
        await client.close(within: .zero)
        await endpoint.stop()
        return task
    }

    private func closed(_ change: (inout PushTask) -> Void) async throws -> PushTask {
        let ids = try await fixture.register(3)
        let task = try fixture.begin(1, devices: ids, change: change)
        try await fixture.end(ids, task: task.id, as: .delivered)
        return task
    }

    private func poster(
        _ client: HTTPClient, app: PushApp?, closer: TaskCloser? = nil, hold: Duration = ReporterFixture.lease,
        allowsLoopback: Bool = true, patience: Duration
    ) async throws -> ReportPoster {
        let ranges = allowsLoopback ? [try AddressRange("127.0.0.1")] : []
        var usedCloser = closer
        if usedCloser == nil { usedCloser = try await fixture.closer(expectsReports: true) }
        return ReportPoster(
            endpoint: EndpointPoster(
                client: client, destination: .untrusted(AddressPolicy(allowed: ranges)),
                policy: PostPolicy(patience: patience), environment: fixture.environment),
            hold: hold, archive: fixture.archive, closer: try #require(usedCloser),
            producer: try await fixture.bus.makeProducer(ProducerOptions()), app: { _ in app },
            environment: fixture.environment)
    }

    private func app(_ url: String, files: (authorization: String?, signing: String?)) throws -> PushApp {
        var app = PushApp(id: fixture.app)
        app.identifiers[.richie] = ["an-app"]
        app.report = ReportEndpoint(
            url: url, authorizationFile: files.authorization.map { KeyFile(field: "a", path: $0) },
            signingKeyFile: files.signing.map { KeyFile(field: "s", path: $0) })
        return app
    }

    private func isSettled(_ task: PushTask) -> Bool {
        fixture.archive.reportStage(of: task.id) == .settled && fixture.agenda.count() == 0
    }

    private func posts(_ outcome: String) -> Int {
        fixture.metrics.counter(.reporterPosts, labels: ["outcome": outcome]).value
    }

    @Test func aReportIsPostedOnceWithItsHeaders() async throws {
        let endpoint = try Endpoint([HTTPResponse(.noContent)])
        let files = (folder.write("a", content: "Basic abc\n"), folder.write("s", content: "secret\n"))
        let task = try await post(endpoint, times: 2, files: files)
        let sent = try #require(endpoint.posts.first)
        #expect(endpoint.posts.count == 1 && isSettled(task) && posts("delivered") == 1)
        #expect(sent.body == fixture.archive.report(of: task.id))
        #expect(sent.headers["Content-Type"] == "application/json")
        #expect(sent.headers["Authorization"] == "Basic abc")
        #expect(sent.headers["Idempotency-Key"] == "\(task.id)/report")
        let seconds = fixture.time.now.milliseconds / 1_000
        let code = HMACKey(Array("secret".utf8)).code(for: Array("\(seconds).".utf8) + sent.body)
        let digits = Hexadecimal.encode(code)
        #expect(sent.headers["Carillon-Signature"] == "t=\(seconds),v1=\(digits)")
    }

    @Test func richiesTasksAreReportedInRichiesWords() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        _ = try await post(endpoint) { task in
            task.dialect = .richie
            task.reported = JSONObject([
                ("topics", .array([.string("all_users")])),
                ("payloads", .object(JSONObject([("ios", .object(JSONObject()))]))),
            ])
        }
        let sent = try #require(endpoint.posts.first)
        let expected = """
            {"app_id":"an-app","completion_time_ms":0,"deletions":0,"failures":0,"payloads":{"ios":{}},"successes":3,\
            "topics":["all_users"]}
            """
        #expect(String(decoding: sent.body, as: UTF8.self) == expected)
        #expect(sent.headers["Carillon-Signature"] == nil && sent.headers["Authorization"] == nil)
    }

    /// Goal: a failing endpoint gets retries under the same key, and the report is on the bus once. Method: two errors,
    /// then an answer; the clock is advanced far enough each time.
    @Test func anEndpointThatFailsIsTriedAgain() async throws {
        let endpoint = try Endpoint([
            HTTPResponse(.internalServerError), HTTPResponse(.tooManyRequests), HTTPResponse(.ok),
        ])
        let task = try await post(endpoint, times: 3, pause: .seconds(60))
        #expect(endpoint.posts.count == 3 && isSettled(task))
        #expect(Set(endpoint.posts.compactMap { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(Set(endpoint.posts.map(\.body)).count == 1)
        #expect(posts("failed") == 2 && posts("delivered") == 1)
        #expect(try await fixture.reports().count == 1)
    }

    @Test func retryAfterIsObeyed() async throws {
        let answer = HTTPResponse(.serviceUnavailable, headers: [HTTPField("Retry-After", "600")])
        let task = try await post(try Endpoint([answer]))
        fixture.time.advance(by: .seconds(599))
        #expect(fixture.agenda.take(upTo: 1, for: .zero) == [])
        fixture.time.advance(by: .seconds(1))
        #expect(fixture.agenda.take(upTo: 1, for: .zero) == [task.id])
    }

    @Test func anEndpointThatNeverTakesItIsGivenUp() async throws {
        let endpoint = try Endpoint([HTTPResponse(.badRequest)])
        let task = try await post(endpoint, times: 5, pause: .seconds(1_800))
        #expect(endpoint.posts.count == 3 && isSettled(task) && posts("given_up") == 1)
        #expect(fixture.sink.lines.contains { $0.contains("report dead-lettered") && $0.contains("status 400") })
        let letter = try #require(try await letters().first)
        #expect(letter.group == ReportPoster.group && letter.channel == Topics.webhooks.channel.name)
        #expect(try ReportPost(decoding: letter.value).body == fixture.archive.report(of: task.id))
    }

    /// Goal: `carillon dead replay` posts a dead-lettered report again. Method: an endpoint that refuses until the time
    /// limit, refuses the first replay too, and accepts the second; the task's content is long deleted.
    @Test func whatWasGivenUpIsPostedAgainWhenItIsReplayed() async throws {
        let endpoint = try Endpoint([
            HTTPResponse(.badRequest), HTTPResponse(.badRequest), HTTPResponse(.badRequest), HTTPResponse(.ok),
        ])
        let client = HTTPClient(
            configuration: HTTPClientConfiguration(name: "test"), log: fixture.environment.log, metrics: Metrics())
        let poster = try await poster(client, app: try app(endpoint.url, files: (nil, nil)), patience: .seconds(1))
        let task = try await closed { $0.dialect = .richie }
        let result = try await fixture.closer(expectsReports: true).check(task.check)
        guard case .notify(let report) = result else { throw StoreError(.corrupt, message: "\(result)") }
        await poster.post(report)
        fixture.time.advance(by: .seconds(60))
        await poster.post(report)
        try await fixture.archive.forget(task.id, after: .zero)
        for count in 1...2 {
            let letter = try #require(try await letters().last)
            let replayed = try #require(letter.replay(into: Topics.channel(named: letter.channel)))
            #expect(replayed.channel == Topics.webhooks.channel && replayed.key == task.id.bytes)
            let outputs = try await replay(replayed.value, poster: poster)
            #expect(outputs.map(\.channel) == (count == 1 ? [Topics.dead.channel] : []))
            try await fixture.bus.makeProducer(ProducerOptions()).send(outputs)
        }
        #expect(endpoint.posts.count == 4 && posts("delivered") == 1 && posts("given_up") == 2)
        #expect(Set(endpoint.posts.map(\.body)).count == 1)
        #expect(Set(endpoint.posts.compactMap { $0.headers["Idempotency-Key"] }) == ["\(task.id)/report"])
        await client.close(within: .zero)
        await endpoint.stop()
    }

    private func replay(_ value: [UInt8], poster: ReportPoster) async throws -> [OutgoingMessage] {
        let channel = Topics.webhooks.channel.name
        let origin = IncomingMessage(
            partition: PartitionID(channel: channel, number: 0), offset: 0, key: nil, value: value, headers: [],
            timestamp: fixture.time.now)
        let context = HandlerContext(
            time: fixture.time, random: fixture.environment.random,
            producer: try await fixture.bus.makeProducer(ProducerOptions()), log: fixture.environment.log, attempt: 1)
        let message = ReceivedMessage(message: try WebhookPost(decoding: value), origin: origin)
        let states = StatePoster(
            outbox: fixture.outbox, endpoint: poster.endpoint, producer: poster.producer, app: poster.app,
            wakeup: StateWakeup(), meters: StateMeters(fixture.metrics), environment: fixture.environment)
        return try await ReplayedPosts(reports: poster, states: states).handle([message], context: context)
    }

    private func letters() async throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        try await fixture.bus.scan(Topics.dead.channel) { message in
            letters += [DeadLetter(fromDead: message)].compactMap { $0 }
            return true
        }
        return letters
    }

    /// Goal: a reporter drops no report of an app whose file it cannot read.
    @Test func aReportOfAnAppThatIsNotKnownWaits() async throws {
        let task = try await closed { _ in }
        let closer = try await fixture.closer(expectsReports: true)
        let client = HTTPClient(
            configuration: HTTPClientConfiguration(name: "test"), log: fixture.environment.log, metrics: Metrics())
        let poster = try await poster(client, app: nil, closer: closer, patience: .seconds(60))
        guard case .notify(let report) = try await closer.check(task.check) else {
            Issue.record("the report has no endpoint")
            return
        }
        await poster.post(report)
        #expect(!isSettled(task) && posts("failed") == 1)
        fixture.time.advance(by: .seconds(120))
        await poster.post(report)
        #expect(isSettled(task) && posts("given_up") == 1)
        #expect(try await letters().count == 1)
        await client.close(within: .zero)
    }

    @Test func redirectsAreNotFollowed() async throws {
        let endpoint = try Endpoint([HTTPResponse(307, headers: [HTTPField("Location", "/elsewhere")])])
        let task = try await post(endpoint)
        #expect(endpoint.posts.count == 1 && posts("failed") == 1 && !isSettled(task))
    }

    @Test func addressesThatAreNotPublicAreRefused() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let task = try await post(endpoint, allowsLoopback: false)
        #expect(endpoint.posts.isEmpty && posts("failed") == 1 && !isSettled(task))
        #expect(fixture.sink.lines.contains { $0.contains("address_refused") })
    }

    @Test func silenceIsAFailure() async throws {
        let endpoint = try Endpoint([])
        let task = try await post(endpoint, deadline: .milliseconds(300))
        #expect(posts("failed") == 1 && !isSettled(task))
    }

    @Test func aFileThatCannotBeReadIsWaitedFor() async throws {
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        let task = try await post(endpoint, files: (nil, folder.file("missing")))
        #expect(endpoint.posts.isEmpty && posts("failed") == 1 && !isSettled(task))
        #expect(fixture.sink.lines.contains { $0.contains("no readable text") })
    }
}

extension PushTask {
    fileprivate var check: CheckQueue.Check { CheckQueue.Check(task: id, isDue: true) }
}
