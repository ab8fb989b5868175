import Bus
import MemoryBus
import ServiceKit
import TestSupport
import Testing
import Topics

/// The bounds of the buses that use this machine's memory: forward producers wait, draining topics never do.
@Suite struct EmbeddedBoundsTests {
    private static let bound = 1 << 20

    private static func fixture(_ driver: Driver) async throws -> any BusFixture {
        driver == .memory
            ? MemoryFixture(bytesMaximum: bound) : try await RedisFixture(channelBytesMaximum: bound)
    }

    /// Fills a topic until it is full; returns the number of accepted bytes. Retries while the broker is merely slow.
    private static func fill(_ topic: Topic<OpaqueMessage>, bus: any Bus) async throws -> Int {
        let impatient = try await bus.makeProducer(ProducerOptions(patience: .seconds(1)))
        var bytes = 0
        var slowAnswers = 0
        while bytes < 64 << 20 {
            do {
                try await impatient.send([topic.text("\(bytes)", key: "\(bytes)", bytes: 10_000)])
                bytes += 10_000
            } catch  where error.code == .unavailable {
                slowAnswers += 1
                try #require(slowAnswers < 30, "the broker does not answer at all")
            } catch {
                #expect(error.code == .full)
                return bytes
            }
        }
        return bytes
    }

    @Test(arguments: [Driver.memory, .redis])
    func aForwardProducerStopsAtTheBound(driver: Driver) async throws {
        let fixture = try await Self.fixture(driver)
        let topic = TestTopics.make(partitions: 2)
        let bus = try fixture.bus()
        let taken = try await Self.fill(topic, bus: bus)
        #expect((Self.bound / 4..<Self.bound * 2).contains(taken))
        await bus.close()
    }

    @Test(arguments: [Driver.memory, .redis])
    func aPatientProducerGoesOnWhenThereIsRoom(driver: Driver) async throws {
        let fixture = try await Self.fixture(driver)
        let topic = TestTopics.make(partitions: 1)
        let bus = try fixture.bus()
        _ = try await Self.fill(topic, bus: bus)
        let producer = try await bus.makeProducer(ProducerOptions(patience: .seconds(60)))
        async let waiting = producer.send([topic.text("patient", bytes: 10_000)])
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        _ = try await waiting
        #expect(await record.wait { $0.contains("patient") })
        try await worker.stop()
        await bus.close()
    }

    /// Goal: draining topics accept messages when forward topics do not.
    @Test(arguments: [Driver.memory, .redis])
    func whatDrainsIsAlwaysAdmitted(driver: Driver) async throws {
        let fixture = try await Self.fixture(driver)
        let topic = TestTopics.make(admission: .draining, partitions: 1)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions(patience: .seconds(20)))
        for number in 0..<400 { try await producer.send([topic.text("\(number)", bytes: 10_000)]) }
        await bus.close()
    }

    /// Goal: a full pipeline drains by itself. Method: the senders' topic, the retries and the audience form a cycle;
    /// all are blocked until the forward topics are full, then released; finally every device must be sent to.
    @Test(arguments: [Driver.memory, .redis])
    func aCycleThatIsFullDrains(driver: Driver) async throws {
        let fixture = try await Self.fixture(driver)
        let audience = TestTopics.make(partitions: 2)
        let dispatch = TestTopics.make(partitions: 2)
        let retries = TestTopics.make(admission: .draining, partitions: 2)
        let bus = try fixture.bus()
        _ = try await Self.fill(dispatch, bus: bus)
        let filled = try await Self.fill(audience, bus: bus)
        let gate = Gate()
        let sent = Record()
        // Every message fails once at the "provider" and returns through retries and audience.
        let sender = try await RunningWorker(fixture, bus: bus, channel: dispatch.channel, group: "sender", batch: 5) {
            messages, _ in
            await gate.pass()
            return messages.compactMap { message in
                guard !message.text.hasSuffix("again") else {
                    sent.add(message.text)
                    return nil
                }
                return retries.text(message.text + "again", key: message.key, bytes: 10_000)
            }
        }
        let scheduler = try await RunningWorker(
            fixture, bus: bus, channel: retries.channel, group: "scheduler", batch: 5
        ) {
            messages, _ in
            messages.map { audience.text($0.text, key: $0.key, bytes: 10_000) }
        }
        let renderer = try await RunningWorker(
            fixture, bus: bus, channel: audience.channel, group: "renderer", batch: 5
        ) {
            messages, _ in
            messages.map { dispatch.text($0.text, key: $0.key, bytes: 10_000) }
        }
        await gate.awaitArrival()
        gate.open()
        let expected = filled / 10_000
        #expect(await sent.wait(within: .seconds(100)) { Set($0).count >= expected })
        try await sender.stop()
        try await scheduler.stop()
        try await renderer.stop()
        await bus.close()
    }

    /// Goal: messages that every group has completed use no memory.
    /// Goal: a group goes on behind messages that were removed before it read them, and notices how many they were.
    /// Method: a handler holds the first message while those behind its buffer are removed.
    @Test func removedMessagesAreNoticed() async throws {
        let bus = MemoryBus(time: SystemTimeSource(), random: SystemRandomSource())
        let topic = TestTopics.make(partitions: 1)
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send((0..<10).map { topic.text("\($0)", key: "k") })
        var options = ConsumerOptions(channel: topic.channel, group: "g", batchMessagesMaximum: 1)
        options.bufferBytesMaximum = 1
        let consumer = try await bus.makeConsumer(options)
        let first = try #require(await consumer.next())
        let removed = bus.removeUnhandled(5, of: topic.channel)
        #expect(removed.map(\.offset) == Array(0..<5))
        let reader = BusReader(topic.channel, group: "g")
        #expect(bus.missing(by: reader) == 0)
        consumer.complete(first)
        var handled = first.messages.map(\.offset)
        while handled.last != 9 {
            let delivery = try #require(await consumer.next())
            handled += delivery.messages.map(\.offset)
            consumer.complete(delivery)
        }
        #expect(handled.count == 10 - bus.missing(by: reader) && bus.missing(by: reader) > 0)
        #expect(Array(handled.suffix(5)) == Array(5..<10))
        #expect(try await bus.progress(of: [reader])[reader]?.waiting == 0)
        #expect(bus.removeUnhandled(5, of: topic.channel).isEmpty)
        await consumer.close()
        await bus.close()
    }

    @Test func whatIsDoneIsRemovedFromRedis() async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make(partitions: 1)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let records = [Record(), Record()]
        var workers: [RunningWorker] = []
        for (number, record) in records.enumerated() {
            workers.append(
                try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g\(number)") { messages, _ in
                    for message in messages { record.add(message.text) }
                    return []
                })
        }
        let consumers = workers.map(\.consumer)
        #expect(await fixture.eventually { consumers.allSatisfy(\.hasJoined) })
        try await producer.send((0..<100).map { topic.text("\($0)", bytes: 1_000) })
        for record in records { #expect(await record.wait(forCount: 100)) }
        for worker in workers { try await worker.stop() }
        var left = 0
        try await bus.scan(topic.channel) { _ in
            left += 1
            return true
        }
        #expect(left == 0)
        await bus.close()
    }
}
