import Bus
import MemoryBus
import ServiceKit
import TestSupport
import Topics

/// A handler that calls a closure.
struct ClosureHandler: MessageHandler {
    let body: @Sendable ([ReceivedMessage<OpaqueMessage>], HandlerContext) async throws -> [OutgoingMessage]

    func handle(
        _ messages: [ReceivedMessage<OpaqueMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try await body(messages, context)
    }
}

/// A worker that runs in this process until stopped.
final class RunningWorker: Sendable {
    let consumer: any BusConsumer
    private let worker: Worker<ClosureHandler>
    private let run: Task<Void, any Error>

    init(
        _ fixture: any BusFixture, bus: any Bus, channel: Channel, group: String, batch: Int = 50,
        order: ConsumerOptions.Order = .partition, buffer: Int = 16 << 20, concurrency: Int = 4,
        attempts: Int = 3,
        handler:
            @escaping @Sendable ([ReceivedMessage<OpaqueMessage>], HandlerContext) async throws -> [OutgoingMessage]
    ) async throws {
        consumer = try await bus.makeConsumer(
            ConsumerOptions(
                channel: channel, group: group, order: order, batchMessagesMaximum: batch, bufferBytesMaximum: buffer,
                handOverDeadline: .seconds(20)))
        worker = Worker(
            channel: channel, group: group, handler: ClosureHandler(body: handler),
            options: WorkerOptions(
                concurrency: concurrency, attemptsMaximum: attempts,
                backoff: Backoff(first: .milliseconds(1), longest: .milliseconds(20))),
            consumer: consumer, producer: try await bus.makeProducer(ProducerOptions()),
            environment: WorkerEnvironment(
                time: SystemTimeSource(), random: SystemRandomSource(),
                log: Log(service: "test", level: .error, sink: SilentSink()), metrics: fixture.metrics,
                health: fixture.health))
        run = Task { [worker] in try await worker.run() }
    }

    func stop() async throws {
        worker.stop()
        try await run.value
    }
}

struct SilentSink: LogSink {
    func write(line: String) {}
}

extension Topic<OpaqueMessage> {
    /// A message whose value is its text, padded to a size if one is given.
    func text(_ text: String, key: String? = nil, bytes: Int = 0) -> OutgoingMessage {
        let padding = String(repeating: " ", count: max(0, bytes - text.utf8.count))
        return message(OpaqueMessage(Array((text + padding).utf8)), key: key.map { Array($0.utf8) })
    }
}

extension ReceivedMessage<OpaqueMessage> {
    var text: String {
        let text = String(decoding: message.bytes, as: UTF8.self)
        return String(text.prefix { $0 != " " })
    }

    var key: String { String(decoding: origin.key ?? [], as: UTF8.self) }
}
