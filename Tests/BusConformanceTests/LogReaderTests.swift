import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

/// Readers of a log that belong to no group, on every driver.
@Suite(.timeLimit(.minutes(3))) struct LogReaderTests {
    private static func texts(_ range: Range<Int>) -> [String] { range.map { "\($0)" } }

    /// Reads until `count` messages have come; fails after `hangLimit`.
    private static func read(_ count: Int, from reader: any BusLogReader) async throws -> [IncomingMessage] {
        let time = SystemTimeSource()
        let deadline = time.uptime + .hangLimit
        var messages: [IncomingMessage] = []
        while messages.count < count {
            messages += try await reader.next()
            try #require(time.uptime < deadline, "\(messages.count) of \(count) messages came")
        }
        return messages
    }

    private static func send(_ texts: [String], on topic: Topic<OpaqueMessage>, producer: any BusProducer) async throws
    {
        for chunk in texts.chunks(of: 30) {
            try await producer.send(chunk.enumerated().map { topic.text($1, key: "key \($0 % 8)") })
        }
    }

    /// Handles all messages of a topic as a group.
    private static func handle(
        _ count: Int, of topic: Topic<OpaqueMessage>, _ fixture: any BusFixture, bus: any Bus
    ) async throws {
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        #expect(await record.wait { Set($0).count == count })
        try await worker.stop()
    }

    /// Goal: every reader sees every message once and in order, those before it began and those after.
    @Test(arguments: Driver.allCases)
    func everyReaderSeesEverything(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await Self.send(Self.texts(0..<300), on: topic, producer: producer)
        let early = try await bus.makeLogReader(topic.channel)
        var seen = [try await Self.read(300, from: early), []]
        try await Self.send(Self.texts(300..<600), on: topic, producer: producer)
        let late = try await bus.makeLogReader(topic.channel)
        #expect(late.held.values.reduce(0) { $0 + $1.count } == 600)
        seen[0] += try await Self.read(300, from: early)
        seen[1] += try await Self.read(600, from: late)
        for messages in seen {
            #expect(Set(messages.map { String(decoding: $0.value, as: UTF8.self) }) == Set(Self.texts(0..<600)))
            #expect(messages.count == 600)
            for (partition, held) in late.held {
                let offsets = messages.filter { $0.partition.number == partition }.map(\.offset)
                #expect(offsets == Array(held))
            }
        }
        await early.close()
        await late.close()
        await bus.close()
    }

    /// Goal: an idle reader waits for messages instead of asking in a loop, and gets the next one at once.
    @Test(arguments: Driver.allCases)
    func waitsForTheNextMessage(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining, partitions: 2)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let reader = try await bus.makeLogReader(topic.channel)
        #expect(reader.held == [0: 0..<0, 1: 0..<0])
        let time = SystemTimeSource()
        let began = time.uptime
        for _ in 0..<3 {
            let none = try await reader.next()
            #expect(none.isEmpty)
        }
        #expect(time.uptime - began > .milliseconds(500))
        let producer = try await bus.makeProducer(ProducerOptions())
        async let next = Self.read(1, from: reader)
        try await producer.send([topic.text("now", key: "k")])
        let values = try await next.map(\.value)
        #expect(values == [Array("now".utf8)])
        await reader.close()
        await bus.close()
    }

    /// Goal: a reader that begins at the end, or where another one stopped, gets the messages after that and no others.
    @Test(arguments: Driver.allCases)
    func beginsWhereItIsTold(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining, partitions: 2)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await Self.send(Self.texts(0..<90), on: topic, producer: producer)
        let atEnd = try await bus.makeLogReader(topic.channel, LogReaderOptions(start: .end))
        try await Self.send(Self.texts(90..<180), on: topic, producer: producer)
        let stopped = LogReaderOptions(start: .positions(atEnd.held.mapValues(\.upperBound)))
        let continued = try await bus.makeLogReader(topic.channel, stopped)
        let ofAnotherLog = LogReaderOptions(start: .positions([0: 10_000, 1: 10_000]))
        let fromOldest = try await bus.makeLogReader(topic.channel, ofAnotherLog)
        for (reader, first) in [(atEnd, 90), (continued, 90), (fromOldest, 0)] {
            let messages = try await Self.read(180 - first, from: reader)
            #expect(Set(messages.map { String(decoding: $0.value, as: UTF8.self) }) == Set(Self.texts(first..<180)))
            #expect(messages.count == 180 - first)
            await reader.close()
        }
        await bus.close()
    }

    /// Goal: a reader that skips removed messages goes on after work that a group has handled, and does not disturb the
    /// group. Method: the group handles the first messages before the reader asks for any; Kafka removes none.
    @Test(arguments: Driver.allCases.filter { $0 != .kafka })
    func goesOnAfterHandledWork(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.work, admission: .draining, partitions: 1)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await Self.send(Self.texts(0..<60), on: topic, producer: producer)
        let reader = try await bus.makeLogReader(topic.channel, LogReaderOptions(skipsRemoved: true))
        try await Self.handle(60, of: topic, fixture, bus: bus)
        try await Self.send(Self.texts(60..<90), on: topic, producer: producer)
        let messages = try await Self.read(30, from: reader)
        #expect(messages.map(\.offset) == Array(60..<90))
        await reader.close()
        await bus.close()
    }

    /// Goal: work that is kept for readers can be read after its group has handled it.
    @Test(arguments: Driver.allCases)
    func keptWorkIsReadAfterItWasHandled(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.keptWork, admission: .draining, partitions: 1)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await Self.send(Self.texts(0..<60), on: topic, producer: producer)
        try await Self.handle(60, of: topic, fixture, bus: bus)
        try await Self.send(Self.texts(60..<90), on: topic, producer: producer)
        let reader = try await bus.makeLogReader(topic.channel)
        let messages = try await Self.read(90, from: reader)
        #expect(messages.map(\.offset) == Array(0..<90))
        await reader.close()
        await bus.close()
    }

    /// Goal: of kept work above its bound the oldest messages are removed, but none that a group has not handled.
    @Test(arguments: [Driver.memory, .redis])
    func ofKeptWorkOnlyHandledMessagesAreRemoved(driver: Driver) async throws {
        let bound = 1 << 20
        let fixture: any BusFixture =
            driver == .memory ? MemoryFixture(bytesMaximum: bound) : try await RedisFixture(logBytesMaximum: bound)
        let topic = TestTopics.make(.keptWork, admission: .draining, partitions: 1)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        func send(_ numbers: Range<Int>) async throws {
            for number in numbers { try await producer.send([topic.text("\(number)", key: "k", bytes: 100_000)]) }
        }
        func held() async throws -> Range<Int64>? {
            let reader = try await bus.makeLogReader(topic.channel)
            await reader.close()
            return reader.held[0]
        }
        try await send(0..<40)
        #expect(try await held() == 0..<40)
        try await Self.handle(40, of: topic, fixture, bus: bus)
        try await send(40..<44)
        let some = try #require(try await held())
        #expect((20...40).contains(some.lowerBound) && some.upperBound == 44)
        try await send(44..<80)
        let unhandled = try #require(try await held())
        #expect((20...40).contains(unhandled.lowerBound) && unhandled.upperBound == 80)
        try await Self.handle(40, of: topic, fixture, bus: bus)
        await bus.close()
    }

    /// Goal: a reader of a log whose oldest messages were removed begins with the oldest that is left. Method: a log
    /// much smaller than what is sent.
    @Test func beginsWithTheOldestThatIsLeft() async throws {
        let fixture = MemoryFixture(bytesMaximum: 20_000)
        let topic = TestTopics.make(.log, admission: .draining, partitions: 1)
        let bus = fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await Self.send(Self.texts(0..<1_000), on: topic, producer: producer)
        let reader = try await bus.makeLogReader(topic.channel)
        let held = try #require(reader.held[0])
        #expect(held.upperBound == 1_000 && held.lowerBound > 500)
        let offsets = try await Self.read(held.count, from: reader).map(\.offset)
        #expect(offsets == Array(held))
        // What is removed before it was read is noticed.
        try await Self.send(Self.texts(0..<1_000), on: topic, producer: producer)
        let error = await #expect(throws: BusError.self) { _ = try await reader.next() }
        #expect(error?.code == .replaced)
    }

    /// Goal: a reader notices that Redis lost the log, whether the new one is shorter or longer than what it read.
    @Test(arguments: [0, 5, 400])
    func aLostLogIsNoticed(messagesAfter: Int) async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make(.log, admission: .draining, partitions: 1)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await Self.send(Self.texts(0..<200), on: topic, producer: producer)
        let reader = try await bus.makeLogReader(topic.channel)
        _ = try await Self.read(200, from: reader)
        try await fixture.command("FLUSHALL")
        try await Self.send(Self.texts(0..<messagesAfter), on: topic, producer: producer)
        let error = await #expect(throws: BusError.self) { while true { _ = try await reader.next() } }
        #expect(error?.code == .replaced)
        await reader.close()
        await bus.close()
    }

    /// Goal: a reader of a trimmed log in Redis begins with the oldest message that is left, whatever the age.
    @Test func aTrimmedLogInRedisBeginsLater() async throws {
        let fixture = try await RedisFixture(logBytesMaximum: 1 << 20)
        let topic = TestTopics.make(.log, admission: .draining, partitions: 1, cleanup: .brief)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        for number in 0..<40 { try await producer.send([topic.text("\(number)", key: "k", bytes: 100_000)]) }
        let reader = try await bus.makeLogReader(topic.channel)
        let held = try #require(reader.held[0])
        #expect(held.upperBound == 40 && (20..<40).contains(held.lowerBound))
        let offsets = try await Self.read(held.count, from: reader).map(\.offset)
        #expect(offsets == Array(held))
        await reader.close()
        await bus.close()
    }
}
