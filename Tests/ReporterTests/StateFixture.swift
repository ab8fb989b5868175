import Apps
import Bus
import HTTPClient
import HTTPServer
import JSONKit
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

/// A reporter that tells the webhook of an app what became of its messages.
final class StateFixture: Sendable {
    /// A state as an endpoint gets it.
    struct Entry: Equatable {
        let key: String
        let status: String
        let token: String?
    }

    let base: ReporterFixture
    let wakeup = StateWakeup()
    private let folder = TemporaryDirectory("webhook")
    private let client: HTTPClient
    private let apps = Monitor<[AppID: PushApp]>([:])

    init(
        deadline: Duration = .seconds(30), queueBytesMaximum: Int = OutboxBounds.queueBytesMaximum
    ) throws {
        base = try ReporterFixture(queueBytesMaximum: queueBytesMaximum)
        var configuration = HTTPClientConfiguration(name: "test")
        configuration.deadline = deadline
        client = HTTPClient(configuration: configuration, log: base.environment.log, metrics: Metrics())
    }

    func close() async {
        await client.close(within: .zero)
    }

    /// The app has a webhook from now on, or none if there is no endpoint.
    func setWebhook(_ endpoint: Endpoint?, of app: AppID? = nil, secret: String? = "s3cret\n", signs: Bool = false) {
        var known = PushApp(id: app ?? base.app)
        if let endpoint {
            let path = secret.map { folder.write("secret", content: $0) } ?? folder.file("missing")
            let signing = signs ? folder.write("signing", content: "key\n") : nil
            known.webhook = WebhookEndpoint(
                url: endpoint.url, secretFile: KeyFile(field: "webhook.secret_file", path: path),
                signingKeyFile: signing.map { KeyFile(field: "webhook.signing_key_file", path: $0) })
        }
        let (id, app) = (known.id, known)
        apps.change { $0[id] = app }
    }

    /// Creates a recorder as a new process would.
    func recorder() -> StateRecorder {
        let outbox = CutOutbox(base.outbox, scissors: base.scissors)
        return StateRecorder(
            messages: TrackedMessages(archive: base.archive, outbox: outbox), outbox: outbox, registry: base.registry,
            hasWebhook: { [apps] app in apps.withLock { $0[app] }.map { $0.webhook != nil } ?? true }, wakeup: wakeup,
            meters: StateMeters(base.metrics))
    }

    /// Creates a poster as a new process would.
    func poster(patience: Duration = .seconds(86_400)) async throws -> StatePoster {
        let known = base.environment
        // Each process makes other ids.
        let environment = WorkerEnvironment(
            time: known.time, random: SystemRandomSource(), log: known.log, metrics: known.metrics,
            health: known.health)
        let endpoint = EndpointPoster(
            client: client, destination: .untrusted(AddressPolicy(allowed: [try AddressRange("127.0.0.1")])),
            policy: PostPolicy(patience: patience), environment: environment)
        return StatePoster(
            outbox: CutOutbox(base.outbox, scissors: base.scissors), endpoint: endpoint,
            producer: CutProducer(try await base.bus.makeProducer(ProducerOptions()), scissors: base.scissors),
            app: { [apps] app in apps.withLock { $0[app] } }, wakeup: wakeup, meters: StateMeters(base.metrics),
            environment: environment)
    }

    /// A message to one user, all of whose numbers are in the same shard.
    func begin(
        _ number: UInt64, devices: [DeviceID], method: DeliveryWindow.Method = .traditional,
        reported: JSONObject = JSONObject()
    ) throws -> PushTask {
        let now = base.time.now
        let window = DeliveryWindow(
            from: now, to: now + .seconds(3_600), user: try Samples.user("user-1"), method: method)
        return try base.begin(
            number * UInt64(OutboxShard.count), devices: devices, isFast: true
        ) { task in
            task.window = window
            task.labels["campaign"] = "spring"
            task.reported = reported
        }
    }

    func queue(of task: PushTask) -> OutboxQueue { OutboxSubject(.message(task.id), of: task.app).queue }

    /// Posts what is due, as often as the queue has more.
    func postDue(_ queue: OutboxQueue, patience: Duration = .seconds(86_400), times: Int = 1) async throws {
        let poster = try await poster(patience: patience)
        for _ in 0..<times {
            let due = base.outbox.take(from: queue.shard, upTo: 64, for: ReporterFixture.lease)
            for queue in due { await poster.post(queue) }
        }
    }

    static func entries(_ post: Endpoint.Post) throws -> [Entry] {
        let json = try JSON(post.body)
        return try #require(json.elements).map { entry in
            Entry(
                key: entry["idempotency_key"]?.text ?? "", status: entry["delivery_status"]?.text ?? "",
                token: entry["device_token"]?.text)
        }
    }

    /// What was appended to the queue and is not told, without a change of it.
    func waiting(_ queue: OutboxQueue) throws -> [Entry] {
        guard let batch = base.outbox.batch(of: queue, proposing: "look") else { return [] }
        return try StateFixture.entries(Endpoint.Post(headers: HTTPHeaders(), body: batch.body))
    }

    func states(_ outcome: String) -> Int {
        base.metrics.counter(.reporterStates, labels: ["outcome": outcome]).value
    }

    func letters() async throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        try await base.bus.scan(Topics.dead.channel) { message in
            letters += [DeadLetter(fromDead: message)].compactMap { $0 }
            return true
        }
        return letters
    }
}
