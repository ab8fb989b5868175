import Bus
import ServiceKit
import TestSupport
import Topics

/// Text that is well-formed unless it starts with "garbled".
struct TextMessage: TopicMessage {
    let text: String

    init(decoding bytes: [UInt8]) throws {
        text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("garbled") { throw MalformedMessageError("this is garbled") }
    }

    func encoded() -> [UInt8] { Array(text.utf8) }

    /// The part before the first colon.
    var tenant: String? { text.split(separator: ":").dropLast().first.map(String.init) }
}

struct TextHandler: MessageHandler {
    let body: @Sendable ([String], HandlerContext) async throws -> [OutgoingMessage]
    var mourn: @Sendable (DeadLetter) async throws -> Void = { _ in }

    func handle(
        _ messages: [ReceivedMessage<TextMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try await body(messages.map(\.message.text), context)
    }

    func giveUp(_ letter: DeadLetter) async throws {
        try await mourn(letter)
    }
}

/// A worker with test doubles and a manual clock.
final class WorkerFixture: Sendable {
    let time = ManualTimeSource()
    let sink = CollectingSink()
    let metrics = Metrics()
    let health: Health
    let consumer: ScriptedConsumer
    let producer: ScriptedProducer
    /// Events recorded by handlers, in order.
    let events = Monitor<[String]>([])
    private let options: WorkerOptions
    private let protection: CrashProtection?
    private let seed: UInt64

    init(
        order: ConsumerOptions.Order = .partition, batch: Int = 10, concurrency: Int = 1, attempts: Int = 3,
        backoff: Backoff = Backoff(first: .seconds(1), longest: .seconds(8)), priority: TaskPriority? = nil,
        producer: ScriptedProducer = .init(), topic: Topic<OpaqueMessage> = TestTopics.make(),
        protection: CrashProtection? = nil, seed: UInt64 = 7
    ) {
        self.protection = protection
        self.seed = seed
        health = Health(time: time)
        consumer = ScriptedConsumer(
            ConsumerOptions(
                channel: topic.channel, group: "g", order: order, batchMessagesMaximum: batch))
        self.producer = producer
        var options = WorkerOptions(
            concurrency: concurrency, attemptsMaximum: attempts, backoff: backoff, handlerLimit: .seconds(120))
        options.priority = priority
        self.options = options
    }

    func worker(
        giveUp: @escaping @Sendable (DeadLetter) async throws -> Void = { _ in },
        _ body: @escaping @Sendable ([String], HandlerContext) async throws -> [OutgoingMessage]
    ) -> Worker<TextHandler> {
        Worker(
            channel: consumer.channel, group: "g", handler: TextHandler(body: body, mourn: giveUp), options: options,
            consumer: consumer, producer: producer, protection: protection,
            environment: WorkerEnvironment(
                time: time, random: SeededRandomSource(seed: seed), log: Log(service: "test", sink: sink, time: time),
                metrics: metrics, health: health))
    }

    /// For tests that cancel the run, or stop the worker in their middle.
    func start(
        giveUp: @escaping @Sendable (DeadLetter) async throws -> Void = { _ in },
        _ body: @escaping @Sendable ([String], HandlerContext) async throws -> [OutgoingMessage]
    ) -> (worker: Worker<TextHandler>, run: Task<Void, any Error>) {
        let worker = worker(giveUp: giveUp, body)
        return (worker, Task { try await worker.run() })
    }

    func note(_ event: String) {
        events.change { $0.append(event) }
    }

    var noted: [String] { events.withLock { $0 } }

    func hasNoted(_ count: Int) async -> Bool {
        await blocking { [events] in
            events.wait(timeout: .hangLimit) { $0.count >= count ? true : nil } ?? false
        }
    }

    var deadLetters: [DeadLetter] {
        producer.sent.filter { $0.channel == Topics.dead.channel }.compactMap { message in
            DeadLetter(
                fromDead: IncomingMessage(
                    partition: PartitionID(channel: "dead", number: 0), offset: 0, key: message.key,
                    value: message.value, headers: message.headers, timestamp: time.now))
        }
    }
}

extension DeadLetter {
    var text: String { String(decoding: value, as: UTF8.self) }
}

struct Outage: RetriableError {
    var isRetriable: Bool { true }
}

struct HandlerError: Error {}
