import Apps
import Bus
import HTTPClient
import PushModel
import ServiceKit
import Signing
import Store
import TaskModel
import Topics

/// Posts a report to the endpoint of its app, once; what comes next is the agenda's.
struct ReportPoster: Sendable {
    static let group = "reporter-webhook"

    let client: HTTPClient
    /// Longer than an attempt takes: what a reporter was posting when it died is posted by another after this.
    let hold: Duration
    let destination: HTTPClientRequest.Destination
    let policy: PostPolicy
    let archive: any TaskArchive
    let closer: TaskCloser
    let producer: any BusProducer
    let app: @Sendable (AppID) -> PushApp?
    let environment: WorkerEnvironment

    func post(_ report: TaskReport) async {
        do {
            // Nobody else is to post it meanwhile.
            try await closer.postpone(report.task, until: environment.time.now + hold)
            let app = app(report.app)
            if let app, app.report == nil { return try await closer.settle(report) }
            let post = try await self.post(for: report, identifier: app?.identifiers[.richie]?.first)
            let verdict =
                if let endpoint = app?.report { try await attempt(post, endpoint: endpoint) } else {
                    again(post, reason: "the app is not known here")
                }
            try await conclude(verdict, report: report, post: post)
        } catch {
            environment.log.warning(
                "a report waits for something it needs", [.task: "\(report.task)", .error: "\(error)"])
        }
    }

    /// One that was given up and is sent again by hand, once: a letter where it is given up again. An app that wants to hear
    /// of nothing any more has had it.
    func postAgain(_ post: ReportPost) async throws -> DeadLetter? {
        guard let endpoint = app(post.app)?.report else { return nil }
        switch try await attempt(post, endpoint: endpoint) {
        case .delivered:
            count("delivered")
            return nil
        case .again(_, let reason), .givenUp(let reason): return givenUp(post, reason: reason)
        }
    }

    private func post(for report: TaskReport, identifier: String?) async throws -> ReportPost {
        let task = try await archive.readableTask(report.task)
        let body = ReportBody(report, task: task, identifier: identifier).bytes
        return ReportPost(task: report.task, app: report.app, closed: report.closed, body: body)
    }

    private func attempt(_ post: ReportPost, endpoint: ReportEndpoint) async throws -> PostPolicy.Verdict {
        let request: HTTPClientRequest
        do {
            request = try await self.request(post, endpoint: endpoint)
        } catch let problem as EndpointError {
            return again(post, reason: problem.description)
        }
        let outcome = await client.send(request)
        return policy.verdict(
            on: outcome, closed: post.closed, now: environment.time.now, random: environment.random)
    }

    private func again(_ post: ReportPost, reason: String) -> PostPolicy.Verdict {
        policy.again(reason, advice: nil, closed: post.closed, now: environment.time.now, random: environment.random)
    }

    private func request(_ post: ReportPost, endpoint: ReportEndpoint) async throws -> HTTPClientRequest {
        let secrets = try await EndpointSecrets.read(endpoint)
        var headers = [
            HTTPClientRequest.Header("Content-Type", "application/json"),
            HTTPClientRequest.Header("Idempotency-Key", post.id),
        ]
        if let authorization = secrets.authorization {
            headers.append(.init("Authorization", authorization.reveal()))
        }
        if let key = secrets.signingKey {
            let value = ReportSignature.value(of: post.body, at: environment.time.now, key: key)
            headers.append(.init(ReportSignature.header, value))
        }
        return HTTPClientRequest(
            .post, url: endpoint.url, to: destination, headers: headers, body: post.body, isRepeatable: true)
    }

    private func conclude(
        _ verdict: PostPolicy.Verdict, report: TaskReport, post: ReportPost
    ) async throws {
        switch verdict {
        case .delivered:
            count("delivered")
            try await closer.settle(report)
        case .again(let due, let reason):
            count("failed")
            environment.log.warning(
                "a report was not taken",
                [.app: report.app.text, .task: "\(report.task)", .reason: reason])
            try await closer.postpone(report.task, until: due)
        case .givenUp(let reason):
            try await producer.send([givenUp(post, reason: reason).outgoing])
            try await closer.settle(report)
        }
    }

    /// As if it had been read from `webhooks`: replayed it comes there, and is posted again under its id.
    private func givenUp(_ post: ReportPost, reason: String) -> DeadLetter {
        count("given_up")
        environment.log.error(
            "a report was given up; it is on dead",
            [.app: post.app.text, .task: "\(post.task)", .reason: reason])
        let message = IncomingMessage(
            partition: PartitionID(channel: Topics.webhooks.channel.name, number: 0), offset: 0,
            key: post.task.bytes, value: post.encoded(), headers: [], timestamp: post.closed)
        return DeadLetter(message, group: ReportPoster.group, reason: .exhausted, detail: reason, attempts: 1)
    }

    private func count(_ outcome: String) {
        environment.metrics.counter(.reporterPosts, labels: ["outcome": outcome]).increment()
    }
}
