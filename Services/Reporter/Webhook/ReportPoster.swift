import Apps
import Bus
import HTTPClient
import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// Posts a report to the endpoint of its app, once; retries are scheduled in the agenda.
struct ReportPoster: Sendable {
    static let group = "reporter-webhook"

    let endpoint: EndpointPoster
    /// Longer than an attempt takes: a report that a crashed reporter was posting is posted by another after this.
    let hold: Duration
    let archive: any TaskArchive
    let closer: TaskCloser
    let producer: any BusProducer
    let app: @Sendable (AppID) -> PushApp?
    let environment: WorkerEnvironment

    func post(_ report: TaskReport) async {
        do {
            // Keeps other reporters from posting it meanwhile.
            try await closer.postpone(report.task, until: environment.time.now + hold)
            let app = app(report.app)
            if let app, app.report == nil { return try await closer.settle(report) }
            let post = try await self.post(for: report, identifier: app?.identifiers[report.dialect]?.first)
            let verdict =
                if let receiver = app?.report { await attempt(post, receiver: receiver) } else {
                    endpoint.again(since: post.closed, reason: "there is no valid app file")
                }
            try await conclude(verdict, report: report, post: post)
        } catch {
            environment.log.warning(
                "report delayed: dependency unavailable; retrying", [.task: "\(report.task)", .error: "\(error)"])
        }
    }

    /// Posts a replayed report once; returns a dead letter if that fails. If the app has no endpoint any more, nothing
    /// is posted.
    func postAgain(_ post: ReportPost) async -> DeadLetter? {
        guard let receiver = app(post.app)?.report else { return nil }
        switch await attempt(post, receiver: receiver) {
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

    private func attempt(_ post: ReportPost, receiver: ReportEndpoint) async -> PostPolicy.Verdict {
        await endpoint.attempt(since: post.closed) { () async throws(EndpointError) in
            let secrets = try await endpoint.secrets.read(
                EndpointSecretFiles(header: receiver.authorizationFile, signingKey: receiver.signingKeyFile))
            var headers = [HTTPClientRequest.Header("Idempotency-Key", post.id)]
            if let authorization = secrets.header {
                headers.append(.init("Authorization", authorization.reveal()))
            }
            return EndpointPoster.Post(
                url: receiver.url, headers: headers, signingKey: secrets.signingKey, body: post.body)
        }
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
                "report not accepted; retrying",
                [.app: report.app.text, .task: "\(report.task)", .reason: reason])
            try await closer.postpone(report.task, until: due)
        case .givenUp(let reason):
            try await producer.send([givenUp(post, reason: reason).outgoing])
            try await closer.settle(report)
        }
    }

    /// The dead letter looks as if read from `webhooks`: a replay puts it there, and it is posted again under its id.
    private func givenUp(_ post: ReportPost, reason: String) -> DeadLetter {
        count("given_up")
        environment.log.error(
            "report dead-lettered",
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
