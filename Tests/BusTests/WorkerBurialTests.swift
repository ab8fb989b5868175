import Bus
import MemoryBus
import ServiceKit
import Synchronization
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(3))) struct WorkerBurialTests {
    private let bus = MemoryBus(time: SystemTimeSource(), random: SystemRandomSource())
    private let topic = TestTopics.make(partitions: 1)

    private func worker<Handler: MessageHandler>(
        _ producer: any BusProducer, handler: Handler
    ) async throws -> Worker<Handler> {
        let consumer = try await bus.makeConsumer(ConsumerOptions(channel: topic.channel, group: "g"))
        return Worker(
            channel: topic.channel, group: "g", handler: handler,
            options: WorkerOptions(
                attemptsMaximum: 2, backoff: Backoff(first: .milliseconds(1), longest: .milliseconds(1))),
            consumer: consumer, producer: producer,
            environment: TestEnvironment.real.forWorkers)
    }

    private func send(_ texts: String...) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(texts.map { topic.message(OpaqueMessage(Array($0.utf8)), key: nil) })
    }

    private func buried() async throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        try await bus.scan(Topics.dead.channel) { message in
            if let letter = DeadLetter(fromDead: message) { letters.append(letter) }
            return true
        }
        return letters
    }

    /// Runs a worker until it has written this many dead letters.
    private func run(
        _ worker: Worker<some MessageHandler>, producer: WatchedProducer, burials: Int
    ) async throws {
        try await withRunning(worker) { #expect(await producer.hasSent(burials)) }
    }

    /// Goal: a dead letter too large for the bus does not block its partition. Method: the bus accepts at most ten
    /// bytes per value; the second of three messages has more.
    @Test func aLetterThatIsTooLargeIsBuriedWithoutItsValue() async throws {
        let producer = WatchedProducer(try await bus.makeProducer(ProducerOptions()), valueBytesMaximum: 10)
        try await send("one", "much too large", "three")
        try await run(
            try await worker(producer, handler: FailingHandler { PoisonMessageError("bad") }), producer: producer,
            burials: 3)
        let letters = try await buried()
        #expect(letters.map { String(decoding: $0.value, as: UTF8.self) } == ["one", "", "three"])
        #expect(letters.map(\.isWhole) == [true, false, true])
        #expect(letters[1].detail.hasPrefix("too large to be kept whole, with 14 bytes of value"))
        #expect(letters[1].detail.hasSuffix("bad"))
        #expect(letters.map { $0.replay(into: topic.channel) == nil } == [false, true, false])
    }

    /// The same with the dead letters of one batch sent together.
    @Test func oneLargeLetterDoesNotCostItsNeighboursTheirValues() async throws {
        let producer = WatchedProducer(try await bus.makeProducer(ProducerOptions()), valueBytesMaximum: 10)
        try await send("one", "much too large", "three")
        try await run(try await worker(producer, handler: PickyHandler()), producer: producer, burials: 3)
        #expect(try await buried().map { String(decoding: $0.value, as: UTF8.self) } == ["one", "", "three"])
    }

    @Test func theProducerIsClosedAtTheEnd() async throws {
        let producer = WatchedProducer(try await bus.makeProducer(ProducerOptions()))
        let worker = try await worker(producer, handler: FailingHandler { PoisonMessageError("bad") })
        worker.stop()
        try await worker.run()
        #expect(producer.isClosed)
    }

    /// Goal: a handler is notified of an undecodable message before it is dead-lettered. Method: its dependency is down
    /// at first, and once it fails permanently; the message is dead-lettered in both cases.
    @Test func theHandlerIsNotifiedBeforeADeadLetter() async throws {
        let producer = WatchedProducer(try await bus.makeProducer(ProducerOptions()))
        try await send("one", "two")
        let notified = Monitor<[String]>([])
        let handler = MourningHandler { letter in
            let text = String(decoding: letter.value, as: UTF8.self)
            try notified.withLock { (notified: inout [String]) throws in
                notified.append(text)
                guard notified.count > 1 else { throw Away() }
                if text == "two" { throw PoisonMessageError("no more") }
            }
        }
        try await run(try await worker(producer, handler: handler), producer: producer, burials: 2)
        #expect(notified.withLock { $0 } == ["one", "one", "two"])
        #expect(try await buried().map(\.reason) == [.undecodable, .undecodable])
    }

    /// Goal: a cancelled subtask of the handler counts as a failure; it does not stop the worker.
    @Test func aCancellationOfTheHandlersOwnIsAFailure() async throws {
        let producer = WatchedProducer(try await bus.makeProducer(ProducerOptions()))
        try await send("one")
        try await run(
            try await worker(producer, handler: FailingHandler { CancellationError() }), producer: producer, burials: 1)
        #expect(try await buried().map(\.reason) == [.exhausted])
        #expect(try await buried().map(\.attempts) == [2])
    }
}

private struct FailingHandler: MessageHandler {
    let error: @Sendable () -> any Error

    func handle(
        _ messages: [ReceivedMessage<OpaqueMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        throw error()
    }
}

/// A message type that decodes no bytes.
private struct PickyMessage: TopicMessage {
    init(decoding bytes: [UInt8]) throws {
        throw MalformedMessageError("never right")
    }

    func encoded() -> [UInt8] { [] }
}

private struct PickyHandler: MessageHandler {
    func handle(_ messages: [ReceivedMessage<PickyMessage>], context: HandlerContext) async throws -> [OutgoingMessage]
    {
        []
    }
}

private struct Away: RetriableError {
    var isRetriable: Bool { true }
}

private struct MourningHandler: MessageHandler {
    let mourn: @Sendable (DeadLetter) throws -> Void

    func handle(_ messages: [ReceivedMessage<PickyMessage>], context: HandlerContext) async throws -> [OutgoingMessage]
    {
        []
    }

    func giveUp(_ letter: DeadLetter) async throws {
        try mourn(letter)
    }
}

/// Rejects large values, and counts the sent messages.
private final class WatchedProducer: BusProducer {
    private let producer: any BusProducer
    private let valueBytesMaximum: Int
    private let sent = Monitor(0)
    private let closed = Atomic<Bool>(false)

    init(_ producer: any BusProducer, valueBytesMaximum: Int = .max) {
        self.producer = producer
        self.valueBytesMaximum = valueBytesMaximum
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func hasSent(_ count: Int) async -> Bool {
        await blocking { [sent] in sent.wait(timeout: .hangLimit) { $0 >= count ? true : nil } ?? false }
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        guard messages.allSatisfy({ $0.value.count <= valueBytesMaximum }) else {
            throw BusError(.tooLarge, message: "too large for this test")
        }
        let positions = try await producer.send(messages)
        sent.change { $0 += messages.count }
        return positions
    }

    func close() async {
        closed.store(true, ordering: .releasing)
        await producer.close()
    }
}
