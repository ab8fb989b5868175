import Bus
import CommandKit
import KafkaBus
import MemoryStore
import PushModel
import RedisClient
import RedisStore
import RegistryLog
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Carillon

/// The counts of publications after a lost Redis.
@Suite(.timeLimit(.minutes(5))) struct PublicationRecoveryTests {
    /// Goal: a rebuild has every publication once: those of the recorded count, those that follow, and the repeats of
    /// both. Method: the registry log has the count up to an offset; `tasks` has all tasks from the beginning, and then
    /// those that the recovery sends again.
    @Test func aRebuildCountsWhatFollowsTheRecordedCount() async throws {
        let harness = try RecoveryHarness()
        let (app, news) = (harness.app, try TopicName("news"))
        let device = DeviceIndex(rawValue: 1)
        let created = harness.time.now
        func publish(_ number: UInt64, isDerived: Bool = false) async throws -> PushTask {
            var task = harness.task(number, isDerived: isDerived)
            task.target.audience = .topic(news)
            try await harness.post(task)
            return task
        }
        let keyed = try await publish(1, isDerived: true)
        _ = try await publish(2)
        var offsets: [Int32: Int64] = [:]
        try await harness.bus.scan(Topics.tasks.channel) { message in
            offsets[message.partition.number] = message.offset + 1
            return true
        }
        let recorded = TopicCount(created: created, publications: 2, last: created, offsets: offsets)
        for content in [
            .count(news, TopicCountChange(previous: created, count: recorded)),
            .device(Device(tag: 7, token: try Samples.token(1), created: 1)), .subscription(news, []),
        ] as [RegistryChange.Content] {
            let index = if case .count = content { RegistryChange.ofApp } else { device }
            try await harness.send([RegistryRecord(RegistryChange(app: app, index: index, content)).message])
        }
        _ = try await publish(3)
        try await harness.post(keyed)
        let later = try await publish(4, isDerived: true)
        try await harness.post(later)

        let registry = MemoryRegistry(time: harness.time, random: SystemRandomSource())
        for _ in 0..<2 {
            let environment = TestEnvironment(time: harness.time, random: SystemRandomSource()).forWorkers
            let rebuild = RegistryRebuild(bus: harness.bus, maintenance: registry, environment: environment)
            _ = try await rebuild.run({ _ in }) { refill in
                var recovery = PublicationRecovery(bus: harness.bus, refill: refill, environment: environment)
                try await recovery.run()
                // It sends the tasks that were not begun again.
                _ = try await harness.recover()
            }
            let count = try registry.figures(of: news, in: app)?.count
            #expect(count?.publications == 4 && count?.created == created)
        }
        #expect(try await harness.count(Topics.tasks.channel) > 6)
    }

    /// The same with the command, on Kafka: Redis is lost twice, and what the first rebuild sent again counts in none.
    @Test func aRebuildOnKafkaCountsEachOnce() async throws {
        let kafka = try await KafkaMockServer(brokers: 1)
        for channel in Topics.all.flatMap(\.channels) { try await kafka.perform("create topic \(channel.name) 1") }
        let bus = try KafkaBus(try KafkaConfiguration(url: kafka.url), environment: TestEnvironment.real.forWorkers)
        let producer = try await bus.makeProducer(ProducerOptions())
        let (app, news) = (try AppID("news"), try TopicName("news"))
        let now = SystemTimeSource().now
        for number in 1...3 as ClosedRange<UInt64> {
            var task = PushTask(id: TaskID(high: 0x4000, low: number), app: app, created: now)
            task.target.audience = .topic(news)
            task.content.message = PushMessage()
            task.content.platforms = [.ios]
            try await producer.send([Topics.tasks.message(.task(task), key: Topics.key(task.id))])
        }
        let recorded = TopicCount(created: now, publications: 1, last: now, offsets: [0: 1])
        let device = Device(tag: 7, token: try Samples.token(1), created: 1)
        for change in [
            RegistryChange(
                app: app, index: RegistryChange.ofApp,
                .count(news, TopicCountChange(previous: now, count: recorded))),
            RegistryChange(app: app, index: DeviceIndex(rawValue: 1), .device(device)),
            RegistryChange(app: app, index: DeviceIndex(rawValue: 1), .subscription(news, [])),
        ] { try await producer.send([RegistryRecord(change).message]) }
        await producer.close()
        await bus.close()
        let variables = ["CARILLON_BUS": kafka.url, "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10"]
        for _ in 0..<2 {
            let redis = try await RedisServer(.forStores)
            let terminal = RecordedTerminal()
            let context = CommandContext(
                terminal: terminal, variables: variables.merging(["CARILLON_REDIS": redis.url]) { $1 })
            #expect(await CommandTree.carillon.run(["rebuild"], in: context) == 0, "\(terminal.complaints)")
            let log = Log(service: "test", level: .error)
            let client = RedisClient(try RedisConfiguration(url: redis.url), log: log, metrics: Metrics())
            let registry = try await RedisRegistry.open(StoreConnection(client), mode: .follower, log: log)
            let figures = try await registry.figures(of: news, in: app)
            #expect(figures?.count.publications == 3 && figures?.subscribers == 1)
            #expect(figures?.count.created == now)
            await client.close()
        }
    }
}
