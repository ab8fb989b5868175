import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

/// Guarantees of every driver, tested against a real broker of each kind.
@Suite struct BusConformanceTests {
    /// Goal: messages of one key are handled in the order in which they were sent, however they are batched.
    @Test(arguments: Driver.allCases)
    func keepsTheOrderWithinAKey(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make()
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g", batch: 7) {
            messages, _ in
            for message in messages { record.add("\(message.key)=\(message.text)") }
            return []
        }
        for start in stride(from: 0, to: 2_000, by: 125) {
            try await producer.send((start..<(start + 125)).map { topic.text("\($0)", key: "key \($0 % 20)") })
        }
        #expect(await record.wait(forCount: 2_000))
        for key in 0..<20 {
            let handled = record.all.filter { $0.hasPrefix("key \(key)=") }
            #expect(handled == stride(from: key, to: 2_000, by: 20).map { "key \(key)=\($0)" })
        }
        try await worker.stop()
        await bus.close()
    }

    /// Goal: each group receives every message, even a group that starts after they were sent.
    @Test(arguments: Driver.allCases)
    func deliversEverythingToEveryGroup(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send((0..<300).map { topic.text("\($0)") })
        for group in ["first", "second"] {
            let record = Record()
            let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: group) {
                messages, _ in
                for message in messages { record.add(message.text) }
                return []
            }
            #expect(await record.wait(forCount: 300))
            #expect(Set(record.all).count == 300)
            try await worker.stop()
        }
        await bus.close()
    }

    /// Goal: what waits for a group and what it has handled is counted, also for a group that has never read, and the
    /// handled messages add up when more come. Method: two rounds of messages; one of two groups reads them.
    @Test(arguments: Driver.allCases)
    func countsWhatAGroupHasHandledAndNotHandled(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let readers = ["g", "h"].map { BusReader(topic.channel, group: $0) }
        let record = Record()
        for sent in [300, 600] {
            try await producer.send((0..<300).map { topic.text("\($0)") })
            let idle = GroupProgress(waiting: sent, handled: 0)
            let before = GroupProgress(waiting: 300, handled: sent - 300)
            #expect(try await bus.progress(of: readers) == [readers[0]: before, readers[1]: idle])
            let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") {
                messages, _ in
                for message in messages { record.add(message.text) }
                return []
            }
            #expect(await record.wait(forCount: sent))
            try await worker.stop()
            let after = GroupProgress(waiting: 0, handled: sent)
            #expect(try await bus.progress(of: readers) == [readers[0]: after, readers[1]: idle])
        }
        await bus.close()
    }

    /// Goal: headers, keys and arbitrary bytes arrive unchanged.
    @Test(arguments: Driver.allCases)
    func carriesAnyBytes(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 1)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let trace = TraceContext(random: SystemRandomSource())
        let value = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try await producer.send([
            topic.message(OpaqueMessage(value), key: [0, 13, 10, 255], trace: trace),
            topic.message(OpaqueMessage([]), key: nil),
            topic.message(OpaqueMessage([UInt8](repeating: 0, count: Topics.messageBytesMaximum)), key: []),
        ])
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages {
                let key = message.origin.key.map { "\($0)" } ?? "none"
                record.add(
                    "\(message.message.bytes == value) \(message.message.bytes.count) \(key) \(message.trace?.header ?? "")"
                )
            }
            return []
        }
        #expect(await record.wait(forCount: 3))
        #expect(
            record.all == [
                "true 1000 [0, 13, 10, 255] \(trace.header)", "false 0 none ",
                "false \(Topics.messageBytesMaximum) [] ",
            ])
        try await worker.stop()
        await bus.close()
    }

    /// Goal: a send returns the position of each of its messages. Method: compare with what a reader finds there, for
    /// messages with and without keys, over all partitions, in sends of which one is split into several appends.
    @Test(arguments: Driver.allCases)
    func tellsWhereMessagesLie(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        var places: [String: MessagePosition] = [:]
        for (send, bytes) in [(0, 0), (1, 0), (2, 40_000)] {
            let texts = (0..<40).map { "\(send)-\($0)" }
            let messages = texts.enumerated().map { index, text in
                topic.text(text, key: index % 3 == 0 ? nil : "key \(index)", bytes: bytes)
            }
            let positions = try await producer.send(messages)
            #expect(positions.count == texts.count)
            places.merge(zip(texts, positions)) { $1 }
        }
        #expect(Set(places.values).count == 120)
        try await bus.scan(topic.channel) { message in
            let text = String(decoding: message.value.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            let place = places.removeValue(forKey: text)
            #expect(place == MessagePosition(partition: message.partition.number, offset: message.offset))
            return true
        }
        #expect(places.isEmpty)
        await bus.close()
    }

    /// Goal: keys that differ only after a zero byte share a partition and its order, and stay different keys.
    @Test(arguments: Driver.allCases)
    func placesAKeyByWhatStandsBeforeItsFirstZero(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let heads = (0..<12).map { "head \($0)" }
        for number in 0..<20 {
            let positions = try await producer.send(heads.map { topic.text("\(number)", key: "\($0)\0\(number)\0x") })
            #expect(
                positions.map(\.partition)
                    == heads.map { Partitioner.partition(ofKey: Array($0.utf8), count: 4) })
        }
        var seen: [String: [String]] = [:]
        try await bus.scan(topic.channel) { message in
            let parts = (message.key ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            #expect(parts.count == 3)
            seen[parts[0], default: []].append(parts[1])
            return true
        }
        #expect(Set(heads.map { Partitioner.partition(ofKey: Array($0.utf8), count: 4) }).count == 4)
        for head in heads { #expect(seen[head] == (0..<20).map(String.init)) }
        await bus.close()
    }

    /// Goal: on a compacted log a tombstone, a message without a value, arrives like any other message.
    @Test(arguments: Driver.allCases)
    func carriesTombstones(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(.log, admission: .draining, partitions: 1, cleanup: .compaction)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send([
            topic.text("here", key: "k"), topic.message(OpaqueMessage([]), key: Array("k".utf8)),
            topic.text("there", key: "l"),
        ])
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { record.add("\(message.key)=\(message.text)") }
            return []
        }
        #expect(await record.wait(forCount: 3))
        #expect(record.all == ["k=here", "k=", "l=there"])
        try await worker.stop()
        await bus.close()
    }

    @Test(arguments: Driver.allCases)
    func refusesAMessageThatIsTooLarge(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make()
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let large = OpaqueMessage([UInt8](repeating: 0, count: Topics.messageBytesMaximum + 1))
        let error = await #expect(throws: BusError.self) { try await producer.send([topic.message(large, key: nil)]) }
        #expect(error?.code == .tooLarge)
        await bus.close()
    }

    /// Goal: a batch whose handler fails is handled again, and nothing after it is lost.
    @Test(arguments: Driver.allCases)
    func deliversAgainAfterAnError(driver: Driver) async throws {
        struct HiccupError: Error {}
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 1)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send((0..<20).map { topic.text("\($0)") })
        let record = Record()
        let failures = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g", batch: 5) {
            messages, context in
            if messages.contains(where: { $0.text == "7" }), failures.all.count < 2 {
                failures.add("\(context.attempt)")
                throw HiccupError()
            }
            for message in messages { record.add(message.text) }
            return []
        }
        #expect(await record.wait(forCount: 20))
        #expect(record.all == (0..<20).map { "\($0)" })
        try await worker.stop()
        await bus.close()
    }

    /// Goal: an outage of a dependency never dead-letters a message, however long it lasts.
    @Test(arguments: Driver.allCases)
    func waitsOutAnOutage(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 1)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send([topic.text("patient")])
        let attempts = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g", attempts: 2) {
            _, _ in
            attempts.add("attempt")
            if attempts.all.count < 10 { throw BusError(.unavailable, message: "away") }
            attempts.add("done")
            return []
        }
        #expect(await attempts.wait { $0.last == "done" })
        try await worker.stop()
        await bus.close()
    }

    /// Goal: a message that cannot be handled goes to `dead` with its history, its neighbours are handled, and it can
    /// be replayed.
    @Test(arguments: Driver.allCases)
    func buriesPoisonAndReplaysIt(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 1)
        try await fixture.prepare(topic)
        try await fixture.prepare(Topics.dead)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let record = Record()
        let isMended = Gate()
        let mended = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g", batch: 10) {
            messages, _ in
            for message in messages where message.text == "poison" && mended.all.isEmpty {
                throw PoisonMessageError("cannot be swallowed")
            }
            for message in messages where message.text == "weak" && mended.all.isEmpty {
                throw MalformedMessageError("fails by itself")
            }
            for message in messages { record.add(message.text) }
            if record.all.count == 3 { await isMended.pass() }
            return []
        }
        try await producer.send(["one", "poison", "two", "weak", "three"].map { topic.text($0, key: "k") })
        await isMended.awaitArrival()
        isMended.open()
        #expect(Set(record.all) == ["one", "two", "three"])

        var letters: [DeadLetter] = []
        try await bus.scan(Topics.dead.channel) { message in
            if let letter = DeadLetter(fromDead: message), letter.channel == topic.channel.name {
                letters.append(letter)
            }
            return true
        }
        #expect(letters.map(\.reason) == [.poison, .exhausted])
        #expect(letters.map { String(decoding: $0.value, as: UTF8.self) } == ["poison", "weak"])
        #expect(letters.map(\.attempts) == [1, 3])
        #expect(letters.first?.detail == "cannot be swallowed")

        mended.add("mended")
        try await producer.send(letters.compactMap { $0.replay(into: topic.channel) })
        #expect(await record.wait { $0.contains("poison") && $0.contains("weak") })
        try await worker.stop()
        await bus.close()
    }

    /// Goal: a handler's outputs are durable on the next topic before its input is completed.
    @Test(arguments: Driver.allCases)
    func sendsOnWhatAHandlerReturns(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let (input, output) = (TestTopics.make(), TestTopics.make())
        try await fixture.prepare(input)
        try await fixture.prepare(output)
        let bus = try fixture.bus()
        let record = Record()
        let relay = try await RunningWorker(fixture, bus: bus, channel: input.channel, group: "relay") { messages, _ in
            messages.map { output.text($0.text + "!", key: $0.text) }
        }
        let end = try await RunningWorker(fixture, bus: bus, channel: output.channel, group: "end") { messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send((0..<500).map { input.text("\($0)", key: "\($0)") })
        #expect(await record.wait(forCount: 500))
        #expect(Set(record.all) == Set((0..<500).map { "\($0)!" }))
        try await relay.stop()
        try await end.stop()
        await bus.close()
    }

    /// Goal: a worker stopped in the middle of a batch finishes it, and the next worker starts after it.
    @Test(arguments: Driver.allCases)
    func finishesTheBatchInWorkWhenStopped(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 1)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send((0..<10).map { topic.text("\($0)") })
        let gate = Gate()
        let record = Record()
        let first = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g", batch: 4) {
            messages, _ in
            await gate.pass()
            for message in messages { record.add("first \(message.text)") }
            return []
        }
        await gate.awaitArrival()
        async let stopped: Void = first.stop()
        gate.open()
        try await stopped
        let done = record.all
        #expect(done.first == "first 0")
        let second = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g", batch: 4) {
            messages, _ in
            for message in messages { record.add("second \(message.text)") }
            return []
        }
        #expect(await record.wait(forCount: 10))
        #expect(record.all == (0..<10).map { $0 < done.count ? "first \($0)" : "second \($0)" })
        try await second.stop()
        await bus.close()
    }

    /// Goal: a consumer whose handlers are blocked holds no more than its buffer, however much is sent.
    @Test(arguments: Driver.allCases)
    func boundsWhatAStalledConsumerHolds(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 2)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let gate = Gate()
        let record = Record()
        let buffer = 256 << 10
        let worker = try await RunningWorker(
            fixture, bus: bus, channel: topic.channel, group: "g", batch: 10, buffer: buffer
        ) {
            messages, _ in
            await gate.pass()
            for message in messages { record.add(message.text) }
            return []
        }
        for start in stride(from: 0, to: 2_000, by: 100) {
            try await producer.send((start..<(start + 100)).map { topic.text("\($0)", key: "\($0)", bytes: 2_000) })
        }
        await gate.awaitArrival()
        #expect(worker.consumer.bufferedBytes < buffer + (2 << 20))
        gate.open()
        #expect(await record.wait(forCount: 2_000))
        #expect(Set(record.all).count == 2_000)
        try await worker.stop()
        await bus.close()
    }

    /// Goal: a partition whose handler is blocked does not delay the others. Method: one key's handler stops at a gate
    /// with a backlog of twice the buffer behind it; other keys must still be handled.
    @Test(arguments: Driver.allCases)
    func aPartitionThatStandsStillDoesNotStopTheOthers(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 2)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let (stuck, free) = keysOfTwoPartitions()
        let gate = Gate()
        let record = Record()
        let worker = try await RunningWorker(
            fixture, bus: bus, channel: topic.channel, group: "g", batch: 10, buffer: 4 << 20, concurrency: 2
        ) { messages, _ in
            if messages[0].key == stuck { await gate.pass() }
            for message in messages { record.add(message.key) }
            return []
        }
        for _ in 0..<40 {
            try await producer.send((0..<100).map { topic.text("\($0)", key: stuck, bytes: 2_000) })
        }
        await gate.awaitArrival()
        for _ in 0..<16 {
            try await producer.send((0..<50).map { topic.text("\($0)", key: free, bytes: 2_000) })
        }
        #expect(await record.wait(forCount: 800))
        #expect(!record.all.contains(stuck))
        gate.open()
        #expect(await record.wait(forCount: 4_800))
        try await worker.stop()
        await bus.close()
    }

    /// Two keys that belong to different partitions of two.
    private func keysOfTwoPartitions() -> (String, String) {
        let keys = (0..<20).map { "key \($0)" }
        func partition(_ key: String) -> Int32 { Partitioner.partition(ofKey: Array(key.utf8), count: 2) }
        return (keys.first { partition($0) == 0 } ?? "", keys.first { partition($0) == 1 } ?? "")
    }
}
