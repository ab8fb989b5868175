import Bus
import HTTPServer
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

/// Posts states of messages to endpoints on loopback.
@Suite(.timeLimit(.minutes(5))) struct StatePosterTests {
    /// Runs a test with an endpoint that gives these answers, and a message that was accepted.
    private func withEndpoint(
        _ answers: [HTTPResponse], deadline: Duration = .seconds(30), secret: String? = "s3cret\n", signs: Bool = false,
        body: (_ fixture: StateFixture, _ endpoint: Endpoint, _ task: PushTask) async throws -> Void
    ) async throws {
        let fixture = try StateFixture(deadline: deadline)
        let endpoint = try Endpoint(answers)
        fixture.setWebhook(endpoint, secret: secret, signs: signs)
        let task = try fixture.begin(1, devices: try await fixture.base.register(1))
        try await fixture.recorder().note([MessageAcceptance(task: task.id, app: task.app)])
        try await withCleanup({
            await fixture.close()
            await endpoint.stop()
        }) {
            try await body(fixture, endpoint, task)
        }
    }

    private func deliver(_ fixture: StateFixture, task: PushTask) async throws {
        let device = try await fixture.base.register(1)
        try await fixture.recorder().note([fixture.base.batch(device, task: task.id, state: .delivered)])
    }

    private func posts(_ fixture: StateFixture, _ outcome: String) -> Int {
        fixture.base.metrics.counter(.reporterStatePosts, labels: ["outcome": outcome]).value
    }

    @Test func statesArePostedOnceWithTheirHeaders() async throws {
        try await withEndpoint([HTTPResponse(.noContent)], signs: true) { fixture, endpoint, task in
            try await fixture.postDue(fixture.queue(of: task), times: 2)
            let sent = try #require(endpoint.posts.first)
            #expect(endpoint.posts.count == 1 && fixture.states("delivered") == 1)
            #expect(try StateFixture.entries(sent).map(\.status) == ["pending"])
            #expect(sent.headers["Content-Type"] == "application/json")
            #expect(sent.headers["X-CTX-Secret"] == "s3cret")
            #expect(sent.headers["X-CTX-Event-Type"] == "message_status")
            #expect(sent.headers["X-Idempotency-Key"]?.hasPrefix("states/") == true)
            let seconds = fixture.base.time.now.milliseconds / 1_000
            let code = HMACKey(Array("key".utf8)).code(for: Array("\(seconds).".utf8) + sent.body)
            #expect(sent.headers["Carillon-Signature"] == "t=\(seconds),v1=\(Hexadecimal.encode(code))")
            try await deliver(fixture, task: task)
            try await fixture.postDue(fixture.queue(of: task))
            #expect(Set(endpoint.posts.compactMap { $0.headers["X-Idempotency-Key"] }).count == 2)
        }
    }

    /// Goal: an endpoint that fails for an hour loses nothing and gets the states of a message in order. Method: errors
    /// for an hour of the clock, while the message goes on.
    @Test func anEndpointThatFailsForAnHourGetsEverythingInOrder() async throws {
        try await withEndpoint([HTTPResponse(.internalServerError)]) { fixture, endpoint, task in
            let queue = fixture.queue(of: task)
            try await fixture.postDue(queue)
            try await deliver(fixture, task: task)
            let began = fixture.base.time.now
            while fixture.base.time.now < began + .seconds(3_600) {
                fixture.base.time.advance(by: .seconds(60))
                try await fixture.postDue(queue)
            }
            let failed = endpoint.posts
            #expect((5...20).contains(failed.count) && posts(fixture, "failed") == failed.count)
            #expect(Set(failed.map(\.body)).count == 1)
            #expect(Set(failed.compactMap { $0.headers["X-Idempotency-Key"] }).count == 1)

            let repaired = try Endpoint([HTTPResponse(.ok)])
            fixture.setWebhook(repaired)
            fixture.base.time.advance(by: PostPolicy.pauseMaximum)
            try await fixture.postDue(queue, times: 3)
            let told = try repaired.posts.map { try StateFixture.entries($0).map(\.status) }
            #expect(told == [["pending"], ["delivered"]])
            #expect(repaired.posts.first?.body == failed[0].body)
            #expect(try await fixture.letters().isEmpty)
            await repaired.stop()
        }
    }

    /// Goal: what an endpoint may have accepted without an answer comes again as the same request. Method: no answer
    /// until the deadline of the client, then another endpoint of the app, which has as much time to answer.
    @Test func anEndpointThatHangsGetsTheSameRequestAgain() async throws {
        try await withEndpoint([], deadline: .seconds(4)) { fixture, endpoint, task in
            let queue = fixture.queue(of: task)
            try await fixture.postDue(queue)
            #expect(endpoint.posts.count == 1 && posts(fixture, "failed") == 1)
            try await deliver(fixture, task: task)
            let answering = try Endpoint([HTTPResponse(.ok)])
            fixture.setWebhook(answering)
            fixture.base.time.advance(by: PostPolicy.pauseMinimum)
            try await fixture.postDue(queue, times: 2)
            let (first, again) = (try #require(endpoint.posts.first), try #require(answering.posts.first))
            #expect(first.body == again.body)
            #expect(first.headers["X-Idempotency-Key"] == again.headers["X-Idempotency-Key"])
            let told = try answering.posts.map { try StateFixture.entries($0).map(\.status) }
            #expect(told == [["pending"], ["delivered"]])
            await answering.stop()
        }
    }

    /// 410 has no special meaning: an endpoint may be moved.
    @Test(arguments: [301, 307, 400, 404, 410, 429, 503] as [HTTPStatus])
    func allButSuccessIsRetried(status: HTTPStatus) async throws {
        let answer = HTTPResponse(status, headers: [HTTPField("Location", "/elsewhere")])
        try await withEndpoint([answer]) { fixture, endpoint, task in
            try await fixture.postDue(fixture.queue(of: task), times: 2)
            #expect(endpoint.posts.count == 1 && posts(fixture, "failed") == 1)
            #expect(try fixture.waiting(fixture.queue(of: task)).map(\.status) == ["pending"])
        }
    }

    @Test func aSecretThatCannotBeReadIsWaitedFor() async throws {
        try await withEndpoint([HTTPResponse(.ok)], secret: nil) { fixture, endpoint, task in
            try await fixture.postDue(fixture.queue(of: task))
            #expect(endpoint.posts.isEmpty && posts(fixture, "failed") == 1)
            #expect(fixture.base.sink.lines.contains { $0.contains("webhook.secret_file: no readable text") })
            fixture.setWebhook(endpoint)
            fixture.base.time.advance(by: .seconds(5))
            try await fixture.postDue(fixture.queue(of: task))
            #expect(endpoint.posts.count == 1)
        }
    }

    /// Goal: states that are given up are on `dead`, the next ones follow, and a replay posts the same bytes.
    @Test func whatIsGivenUpIsPostedAgainWhenItIsReplayed() async throws {
        try await withEndpoint([HTTPResponse(.badRequest), HTTPResponse(.badRequest), HTTPResponse(.ok)]) {
            fixture, endpoint, task in
            let queue = fixture.queue(of: task)
            try await fixture.postDue(queue, patience: .seconds(60))
            try await deliver(fixture, task: task)
            fixture.base.time.advance(by: .seconds(60))
            try await fixture.postDue(queue, patience: .seconds(60), times: 2)
            #expect(try StateFixture.entries(try #require(endpoint.posts.last)).map(\.status) == ["delivered"])
            #expect(fixture.states("given_up") == 1 && fixture.states("delivered") == 1)

            let letter = try #require(try await fixture.letters().first)
            #expect(letter.group == ReportPoster.group)
            let replayed = try #require(letter.replay(into: Topics.channel(named: letter.channel)))
            #expect(replayed.channel == Topics.webhooks.channel)
            guard case .states(let post) = try WebhookPost(decoding: replayed.value) else {
                Issue.record("the letter has no states")
                return
            }
            let poster = try await fixture.poster()
            #expect(await poster.postAgain(post) == nil)
            let (first, last) = (try #require(endpoint.posts.first), try #require(endpoint.posts.last))
            #expect(first.body == last.body)
            #expect(first.headers["X-Idempotency-Key"] == last.headers["X-Idempotency-Key"])
            fixture.setWebhook(nil)
            #expect(await poster.postAgain(post) == nil)
            #expect(endpoint.posts.count == 4)
        }
    }

    /// Goal: a reporter that dies at any step loses no state, doubles none under another id, and keeps their order.
    /// Method: each number of steps until a process has told everything; the next one goes on after the lease.
    @Test func aProcessMayDieAtAnyStep() async throws {
        for steps in 0..<12 {
            try await withEndpoint([HTTPResponse(.internalServerError), HTTPResponse(.ok)]) { fixture, endpoint, task in
                let queue = fixture.queue(of: task)
                fixture.base.scissors.cut(after: steps)
                try await fixture.postDue(queue)
                fixture.base.time.advance(by: .seconds(5))
                try await fixture.postDue(queue)
                fixture.base.scissors.cut(after: nil)
                try await deliver(fixture, task: task)
                for _ in 0..<4 {
                    fixture.base.time.advance(by: ReporterFixture.lease)
                    try await fixture.postDue(queue, times: 2)
                }
                let statuses = try endpoint.posts.map { try StateFixture.entries($0).map(\.status) }
                var bodies: [String: [UInt8]] = [:]
                for post in endpoint.posts {
                    let id = try #require(post.headers["X-Idempotency-Key"])
                    #expect(bodies[id, default: post.body] == post.body, "\(steps)")
                    bodies[id] = post.body
                }
                let once = bodies.values.count
                #expect(statuses.last == ["delivered"] || statuses.last == ["pending", "delivered"], "\(steps)")
                #expect(statuses.first?.first == "pending" && once <= 2, "\(steps)")
                #expect(fixture.base.outbox.batch(of: queue, proposing: "x") == nil, "\(steps)")
                #expect(try await fixture.letters().isEmpty)
            }
        }
    }

    /// The same for what is given up: it is on `dead` at least once, and never only forgotten.
    @Test func givingUpMayBeCutOff() async throws {
        for steps in 0..<8 {
            try await withEndpoint([HTTPResponse(.badRequest)]) { fixture, _, task in
                let queue = fixture.queue(of: task)
                fixture.base.time.advance(by: .seconds(120))
                fixture.base.scissors.cut(after: steps)
                try await fixture.postDue(queue, patience: .seconds(60))
                fixture.base.scissors.cut(after: nil)
                fixture.base.time.advance(by: ReporterFixture.lease)
                try await fixture.postDue(queue, patience: .seconds(60), times: 2)
                let letters = try await fixture.letters()
                #expect(Set(letters.map(\.value)).count == 1, "\(steps)")
                #expect(fixture.base.outbox.batch(of: queue, proposing: "x") == nil)
            }
        }
    }

    @Test func anAppWithoutAWebhookHasNoStates() async throws {
        try await withEndpoint([HTTPResponse(.badRequest)]) { fixture, endpoint, task in
            fixture.setWebhook(nil)
            try await fixture.postDue(fixture.queue(of: task))
            fixture.setWebhook(endpoint)
            fixture.base.time.advance(by: ReporterFixture.lease)
            try await fixture.postDue(fixture.queue(of: task))
            #expect(endpoint.posts.isEmpty)
            #expect(fixture.base.outbox.batch(of: fixture.queue(of: task), proposing: "x") == nil)
        }
    }
}
