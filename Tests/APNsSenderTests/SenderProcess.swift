import Bus
import HTTP2
import PushModel
import RedisBus
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// A running `apns-sender` with one app, `news`, and its bus and ledger.
final class SenderProcess: Sendable {
    let ledger: RedisLedger
    let bus: RedisBus
    private let client: RedisClient
    private let settings: [String: String]
    private let folder: TemporaryDirectory
    private let process: Monitor<ChildProcess>

    init(_ redis: RedisServer, authority: TestAuthority, apple: ScriptedApple) async throws {
        folder = TemporaryDirectory("apps")
        _ = try await OpenSSLCommand.makeKey("key.p8", options: OpenSSLCommand.p256, in: folder)
        let credentials = JSONText.object { json in
            json.member("key_file", "key.p8")
            json.member("key_id", "ABCDE12345")
            json.member("team_id", "TEAMNEWS00")
            json.member("topic", "com.example.news")
        }
        folder.write("news.json", content: #"{"providers":{"apns":\#(credentials)}}"#)
        settings = [
            "CARILLON_BUS": redis.url, "CARILLON_BUS_LEASE": "1s", "CARILLON_BUS_HEARTBEAT": "200ms",
            "CARILLON_APPS": folder.path, "CARILLON_ADMIN_PORT": "\(FreePort.next())",
            "CARILLON_APNS_HOST": apple.endpoint.host, "CARILLON_APNS_SANDBOX_HOST": apple.endpoint.host,
            "CARILLON_APNS_PORT": "\(apple.endpoint.port)", "CARILLON_APNS_CA_FILE": authority.authorityFile,
            "CARILLON_APNS_REQUEST_LIMIT": "5s", "CARILLON_APNS_LEASE_MARGIN": "1s",
            "CARILLON_WORKER_BACKOFF_LONGEST": "1s",
        ]
        let time = SystemTimeSource()
        let configuration = try RedisConfiguration(url: redis.url)
        client = RedisClient(
            configuration, log: quietLog, metrics: Metrics(), time: time, random: SystemRandomSource())
        ledger = RedisLedger(StoreConnection(client))
        bus = RedisBus(
            redis: configuration, RedisBusConfiguration(), log: quietLog, metrics: Metrics(),
            health: Health(time: time), time: time, random: SystemRandomSource())
        process = Monitor(try SenderProcess.start(settings))
    }

    /// Writes a task's plan and marks to the ledger, and its chunks to the bus.
    func dispatch(_ load: PushLoad) async throws {
        let deadline = Timestamp(milliseconds: load.deadline)
        _ = try await ledger.plan(
            load.task, as: TaskPlan(app: load.app, jobs: 1, isFast: false, deadline: deadline, policy: .atLeastOnce))
        for (segment, offsets) in load.segments {
            _ = try await ledger.mark(SegmentSet(offsets), of: load.task, in: SegmentID(load.app, number: segment))
        }
        let producer = try await bus.makeProducer(ProducerOptions())
        try await send(load.chunks(), of: load, producer: producer)
        await producer.close()
    }

    private func send(_ chunks: [DispatchChunk], of load: PushLoad, producer: any BusProducer) async throws {
        let messages = chunks.enumerated().map { number, chunk in
            Topics.dispatchAPNs.message(chunk, key: Array("\(number)".utf8), lane: load.lane)
        }
        _ = try await producer.send(messages)
    }

    /// Sends the sender's retries again when they are due, as scheduler and renderer do, while the body runs.
    func whileScheduling(_ load: PushLoad, body: () async throws -> Void) async throws {
        let consumer = try await bus.makeConsumer(
            ConsumerOptions(channel: Topics.retries.channel(load.lane), group: "scheduler"))
        let producer = try await bus.makeProducer(ProducerOptions())
        let time = SystemTimeSource()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [self] in
                while let delivery = await consumer.next() {
                    for message in delivery.messages {
                        let order = try RetryOrder(decoding: message.value)
                        try await time.sleep(for: Timestamp(milliseconds: order.due) - time.now)
                        try await send(load.chunks(order), of: load, producer: producer)
                    }
                    consumer.complete(delivery)
                }
            }
            do {
                try await body()
            } catch {
                await consumer.close()
                throw error
            }
            await consumer.close()
            try await tasks.waitForAll()
        }
        await producer.close()
    }

    func killAndRestart() async throws {
        let former = process.withLock { $0 }
        former.signal(9)
        #expect(await former.end() == .signalled(9))
        let next = try SenderProcess.start(settings)
        process.change { $0 = next }
    }

    /// Its log so far, for the message of a failed test.
    var lines: [String] { process.withLock { $0 }.lines }

    /// Sends SIGTERM; returns how the process ended.
    func stop() async -> ChildProcess.Ending? {
        let current = process.withLock { $0 }
        current.signal(15)
        return await current.end()
    }

    func close() async {
        await bus.close()
        await client.close()
    }

    private static func start(_ settings: [String: String]) throws -> ChildProcess {
        try ChildProcess.service("apns-sender", settings: settings)
    }
}
