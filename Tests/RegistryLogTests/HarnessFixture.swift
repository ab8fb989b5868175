import Bus
import KafkaBus
import PushModel
import RedisClient
import RedisStore
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Topics

/// Mock Kafka brokers and a real Redis of the test's own.
struct HarnessFixture: Sendable {
    let kafka: KafkaMockServer
    let redis: RedisServer

    /// The mock brokers answer an empty fetch only after its maximum wait, and remove a member only after its session.
    static let kafkaSettings = [
        "fetch.wait.max.ms": "10", "session.timeout.ms": "6000", "heartbeat.interval.ms": "200",
    ]

    init() async throws {
        kafka = try await KafkaMockServer(brokers: 1)
        redis = try await RedisServer()
        try await kafka.perform("create topic registry \(Topics.registry.declaration.partitions.kafka)")
    }

    /// The components of one process, with clients of its own.
    func member(options: LoggedJournal.Options = .init(patience: .seconds(60))) async throws -> HarnessMember {
        var configuration = try KafkaConfiguration(url: kafka.url)
        for (name, value) in Self.kafkaSettings { configuration.set(name, value) }
        let environment = TestEnvironment.real.forWorkers
        let bus = try KafkaBus(configuration, environment: environment)
        let client = RedisClient(
            try RedisConfiguration(url: redis.url), log: environment.log, metrics: environment.metrics)
        let store = try await RedisRegistry.open(
            StoreConnection(client), mode: .follower, log: environment.log, aliasBuckets: 64)
        let log = try await RegistryLog(
            bus: bus, environment: environment, projection: store, maintenance: store, options: options)
        return HarnessMember(environment: environment, bus: bus, client: client, store: store, log: log)
    }

    func wipe() async throws {
        let client = RedisClient(
            try RedisConfiguration(url: redis.url), log: Log(service: "test", sink: CollectingSink()),
            metrics: Metrics())
        _ = try await client.send(RedisCommand("FLUSHALL"))
        await client.close()
    }
}

struct HarnessMember: Sendable {
    let environment: WorkerEnvironment
    let bus: KafkaBus
    let client: RedisClient
    let store: RedisRegistry
    let log: RegistryLog

    var registry: RedisRegistry { store.writing(through: log.journal) }

    /// Runs the services of the log while `body` does.
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        let consumer = try await bus.makeConsumer(RegistryProjector.consumer)
        let producer = try await bus.makeProducer(ProducerOptions())
        let services = log.services { options, projector in
            Worker(
                channel: options.channel, group: options.group, handler: projector,
                options: WorkerOptions(backoff: Backoff(first: .milliseconds(5), longest: .milliseconds(50))),
                consumer: consumer, producer: producer, environment: environment)
        }
        return try await withRunning(services, body: body)
    }

    func rebuild() -> RegistryRebuild {
        RegistryRebuild(bus: bus, maintenance: store, environment: environment)
    }

    func close() async {
        await bus.close()
        await client.close()
    }
}

/// All results of a registry for some devices and topics.
struct RegistrySnapshot: Equatable {
    var devices: [DeviceID: RegisteredDevice] = [:]
    var subscriptions: [DeviceID: [TopicName: SubscriptionOptions]] = [:]
    var ofTokens: [PushToken: DeviceID] = [:]
    var ofUsers: [String: Set<DeviceID>] = [:]
    var audiences: [TopicName: [SegmentNumber: AudienceSelection]] = [:]
    var everyone = 0

    init(
        of registry: RedisRegistry, in app: AppID, tokens: [PushToken], ids: [DeviceID], users: [String],
        topics: [TopicName]
    ) async throws {
        for token in tokens { ofTokens[token] = try await registry.device(of: token, in: app) }
        for id in ids {
            devices[id] = try await registry.device(id, in: app)
            subscriptions[id] = try await registry.subscriptions(of: id, in: app)
        }
        for user in users {
            ofUsers[user] = Set(try await registry.devices(of: try Alias(.externalUser, value: user), in: app))
        }
        for topic in topics {
            for segment in try await registry.segments(of: .topic(topic), in: app) {
                let selection = try await registry.select(.topic(topic), in: SegmentID(app, number: segment))
                if !selection.members.isEmpty { audiences[topic, default: [:]][segment] = selection }
            }
        }
        everyone = try await registry.size(of: .everyone, in: app)
    }
}
