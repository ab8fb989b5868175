import Apps
import Bus
import HTTPClient
import PushModel
import ServiceKit
import Store
import Topics

/// Posts the batch of a queue to the webhook of its app, once; retries are scheduled in the outbox. The batch is stored
/// before it is posted, and is finished after: a process that ends in between leaves it to another, which posts the
/// same bytes under the same id.
struct StatePoster: Sendable {
    let outbox: any StateOutbox
    let endpoint: EndpointPoster
    let producer: any BusProducer
    let app: @Sendable (AppID) -> PushApp?
    let wakeup: StateWakeup
    let meters: StateMeters
    let environment: WorkerEnvironment

    /// The queue is leased. After an error of the store or the bus it is due again at the end of the lease.
    func post(_ queue: OutboxQueue) async {
        do {
            try await postNext(of: queue)
        } catch {
            environment.log.warning(
                "webhook states delayed: dependency unavailable; retrying",
                [.app: queue.app.text, .error: "\(error)"])
        }
    }

    /// Posts replayed states once; returns a dead letter if that fails. If the app has no webhook any more, nothing is
    /// posted.
    func postAgain(_ post: StatePost) async -> DeadLetter? {
        guard let webhook = app(post.app)?.webhook else { return nil }
        switch await attempt(post, webhook: webhook) {
        case .delivered:
            meters.delivered(post.count)
            return nil
        case .again(_, let reason), .givenUp(let reason):
            return givenUp(post, reason: reason)
        }
    }

    private func postNext(of queue: OutboxQueue) async throws {
        let app = app(queue.app)
        if let app, app.webhook == nil { return try await outbox.clear(queue) }
        guard let batch = try await outbox.batch(of: queue, proposing: newID()) else { return }
        let post = StatePost(
            queue.event, id: batch.id, app: queue.app, count: batch.count, since: batch.since, body: batch.body)
        let verdict: PostPolicy.Verdict
        if batch.isCrowded {
            verdict = .givenUp(reason: "too many states wait behind it")
        } else if let webhook = app?.webhook {
            verdict = await attempt(post, webhook: webhook)
        } else {
            verdict = endpoint.again(since: post.since, reason: "there is no valid app file")
        }
        try await conclude(verdict, batch: batch, post: post, queue: queue)
    }

    private func attempt(_ post: StatePost, webhook: WebhookEndpoint) async -> PostPolicy.Verdict {
        await endpoint.attempt(since: post.since) { () async throws(EndpointError) in
            let secrets = try await endpoint.secrets.read(
                EndpointSecretFiles(header: webhook.secretFile, signingKey: webhook.signingKeyFile))
            var headers = [
                HTTPClientRequest.Header("X-CTX-Event-Type", post.event.rawValue),
                HTTPClientRequest.Header("X-Idempotency-Key", post.id),
            ]
            if let secret = secrets.header { headers.append(.init("X-CTX-Secret", secret.reveal())) }
            return EndpointPoster.Post(
                url: webhook.url, headers: headers, signingKey: secrets.signingKey, body: post.body)
        }
    }

    private func conclude(
        _ verdict: PostPolicy.Verdict, batch: OutboxBatch, post: StatePost, queue: OutboxQueue
    ) async throws {
        switch verdict {
        case .delivered:
            meters.delivered(batch.count)
            try await outbox.finish(batch.id, of: queue)
            wakeup.wake(for: queue.shard)
        case .again(let due, let reason):
            meters.failed()
            environment.log.warning(
                "webhook states not accepted; retrying", [.app: queue.app.text, .reason: reason])
            try await outbox.postpone(batch.id, of: queue, until: due)
        case .givenUp(let reason):
            try await producer.send([givenUp(post, reason: reason).outgoing])
            try await outbox.finish(batch.id, of: queue)
            wakeup.wake(for: queue.shard)
        }
    }

    /// The dead letter looks as if read from `webhooks`: a replay puts it there, and it is posted again under its id.
    private func givenUp(_ post: StatePost, reason: String) -> DeadLetter {
        meters.abandoned(post.count)
        environment.log.error(
            "webhook states dead-lettered", [.app: post.app.text, .count: "\(post.count)", .reason: reason])
        let message = IncomingMessage(
            partition: PartitionID(channel: Topics.webhooks.channel.name, number: 0), offset: 0,
            key: Array(post.app.text.utf8), value: post.encoded(), headers: [], timestamp: post.since)
        return DeadLetter(message, group: ReportPoster.group, reason: .exhausted, detail: reason, attempts: 1)
    }

    private func newID() -> String {
        "states/" + environment.random.next().hexadecimal + environment.random.next().hexadecimal
    }
}
