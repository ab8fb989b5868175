import Bus
import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite struct RedisDeathTests {
    /// Goal: acknowledged messages survive SIGKILL of redis-server under load, and the bus recovers by itself. Method:
    /// ten producers record what was acknowledged; the server is killed and restarted in the middle, twice.
    @Test func nothingAcknowledgedIsLost() async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make()
        let bus = try fixture.bus()
        let promised = Record()
        let handled = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { handled.add(message.text) }
            return []
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<10 {
                tasks.addTask {
                    let producer = try await bus.makeProducer(ProducerOptions(patience: .seconds(60)))
                    for batch in 0..<60 {
                        let texts = (0..<20).map { "\(number)-\(batch)-\($0)" }
                        try await producer.send(texts.map { topic.text($0, key: $0, bytes: 500) })
                        for text in texts { promised.add(text) }
                    }
                }
            }
            for threshold in [1_000, 5_000] {
                #expect(await promised.wait(forCount: threshold))
                await fixture.server.kill9()
                try await fixture.server.restart()
            }
            try await tasks.waitForAll()
        }
        let expected = Set(promised.all)
        #expect(expected.count == 12_000)
        #expect(await handled.wait { entries in entries.count >= 12_000 && expected.isSubset(of: entries) })
        try await worker.stop()
        await bus.close()
    }

    /// Goal: when Redis comes back with less than was read, the loss is counted and messages sent afterwards arrive.
    @Test func aLogThatCameBackShorterIsGoneOnWith() async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make(partitions: 1)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        try await producer.send((0..<100).map { topic.text("\($0)") })
        #expect(await record.wait(forCount: 100))
        // The state of a replica that had not received the last fifty.
        let partition = "bus:{\(topic.channel.name)/0}"
        try await fixture.command("DEL", partition + ":log")
        try await fixture.command("HSET", partition + ":state", "next", "50")
        let lost = fixture.metrics.counter(.busLeasesLost, labels: ["topic": topic.channel.name, "group": "g"])
        #expect(await fixture.eventually { lost.value == 1 && worker.consumer.assignedPartitions == 1 })
        try await producer.send((0..<10).map { topic.text("after \($0)") })
        #expect(await record.wait(forCount: 110))
        try await worker.stop()
        await bus.close()
    }

    /// Goal: if Redis restarts from an older state and has grown past the read position before anyone checks, this is
    /// detected and no message in it is skipped or removed unread. Method: save two histories with a common start. A
    /// group reads the first; then the second replaces it atomically, with the group's state as of the start. Its
    /// entries end elsewhere than those that were read, or at the same offsets.
    @Test(arguments: [true, false]) func aLogThatGrewAgainIsReadFromWhereItWas(inOneEntry: Bool) async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make(partitions: 1)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let redis = RedisClient(
            try RedisConfiguration(url: fixture.server.url),
            log: Log(service: "test", level: .error, sink: SilentSink()), metrics: Metrics())
        let (state, log) = ("bus:{\(topic.channel.name)/0}:state", "bus:{\(topic.channel.name)/0}:log")
        func dump() async throws -> [RedisArgument] {
            var bytes: [RedisArgument] = []
            for key in [state, log] {
                let answer = try await redis.send(RedisCommand("DUMP", RedisArgument(key)))
                bytes.append(RedisArgument(try #require(answer.bytes)))
            }
            return bytes
        }
        func restore(_ history: [RedisArgument], script: String) async throws {
            _ = try await redis.send(
                RedisCommand(["EVAL", RedisArgument(script), "2", RedisArgument(state), RedisArgument(log)] + history))
        }
        let plain = "for i = 1, 2 do redis.call('RESTORE', KEYS[i], 0, ARGV[i], 'REPLACE') end"
        try await producer.send((0..<50).map { topic.text("early-\($0)") })
        let early = try await dump()
        for number in 0..<50 { try await producer.send([topic.text("lost-\(number)")]) }
        let first = try await dump()
        try await restore(early, script: plain)
        let texts = (0..<70).map { "late-\($0)" }
        if inOneEntry {
            try await producer.send(texts.map { topic.text($0) })
        } else {
            for text in texts { try await producer.send([topic.text(text)]) }
        }
        let second = try await dump()
        try await restore(first, script: plain)

        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        #expect(await record.wait(forCount: 100))
        let question = RedisCommand("HGET", RedisArgument(state), "done:g")
        try await waitUntil { try await redis.send(question).integer == 100 }
        try await restore(
            second,
            script: """
                local fence = redis.call('HGET', KEYS[1], 'fence:g')
                \(plain)
                redis.call('HSET', KEYS[1], 'fence:g', fence, 'done:g', 50, 'passed:g', 1, 'removed', 50)
                """)
        #expect(await record.wait { Set(texts).isSubset(of: $0) })
        let gaps = fixture.metrics.counter(.busOffsetGaps, labels: ["topic": topic.channel.name, "group": "g"])
        #expect(gaps.value > 0)
        try await worker.stop()
        await redis.close()
        await bus.close()
    }

    /// Goal: an entry of a later version is neither skipped nor removed, and a process that can read it continues
    /// there. Method: give one of three entries a later version; the group stops before it. Then change it back, which
    /// simulates a reader of that version, and let another worker continue.
    @Test func anEntryOfALaterVersionHoldsItsPartition() async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make(partitions: 1)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        for text in ["a", "b", "c"] { try await producer.send([topic.text(text)]) }
        let log = RedisArgument("bus:{\(topic.channel.name)/0}:log")
        let redis = RedisClient(
            try RedisConfiguration(url: fixture.server.url),
            log: Log(service: "test", level: .error, sink: SilentSink()), metrics: Metrics())
        let entries = try #require(try await redis.send(RedisCommand("XRANGE", log, "-", "+")).array)
        #expect(entries.count == 3)
        func rewrite(version: UInt8) async throws {
            _ = try await redis.send(RedisCommand("DEL", log))
            for (number, entry) in entries.enumerated() {
                let id = try #require(entry.array?.first?.bytes)
                let values = try #require(entry.array?.last?.array)
                var fields = values.compactMap(\.bytes)
                if number == 1 { fields[1][0] = version }
                _ = try await redis.send(
                    RedisCommand(["XADD", log, RedisArgument(id)] + fields.map { RedisArgument($0) }))
            }
        }
        try await rewrite(version: 2)
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        let held = fixture.metrics.gauge(.busPartitionsHeldBack, labels: ["topic": topic.channel.name, "group": "g"])
        #expect(await fixture.eventually { held.value == 1 })
        #expect(await record.wait(forCount: 1))
        try await worker.stop()
        #expect(record.all == ["a"])
        try await rewrite(version: 1)
        let other = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        #expect(await record.wait(forCount: 3))
        #expect(record.all == ["a", "b", "c"])
        try await other.stop()
        await redis.close()
        await bus.close()
    }

    /// Goal: an outage longer than the leases does not move work away from live consumers.
    @Test func aLongOutageMovesNoWork() async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make()
        let buses = [try fixture.bus(), try fixture.bus()]
        let producer = try await buses[0].makeProducer(ProducerOptions(patience: .seconds(60)))
        let gates = [Gate(), Gate()]
        let record = Record()
        var workers: [RunningWorker] = []
        for (number, bus) in buses.enumerated() {
            workers.append(
                try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "g") { messages, _ in
                    await gates[number].pass()
                    for message in messages { record.add(message.text) }
                    return []
                })
        }
        let consumers = workers.map(\.consumer)
        let haveShared = await fixture.eventually { consumers.allSatisfy { $0.assignedPartitions == 2 } }
        #expect(haveShared)
        try await producer.send((0..<100).map { topic.text("\($0)", key: "\($0)") })
        for gate in gates { await gate.awaitArrival() }
        await fixture.server.kill9()
        try await fixture.outlastLeases()
        try await fixture.server.restart()
        for gate in gates { gate.open() }
        #expect(await record.wait { Set($0).count == 100 })
        for worker in workers { try await worker.stop() }
        #expect(record.all.count == 100, "work was done twice")
        for bus in buses { await bus.close() }
    }

    /// Goal: a Redis without full durability is not ready.
    @Test func aRedisThatIsNotDurableIsNotReady() async throws {
        let fixture = try await RedisFixture()
        let bus = try fixture.bus()
        #expect(await bus.readiness() == .ready)
        try await fixture.command("CONFIG", "SET", "appendfsync", "everysec")
        let readiness = await bus.readiness()
        guard case .notReady(let reason) = readiness else {
            Issue.record("ready without full durability")
            return
        }
        #expect(reason.contains("appendfsync always"))
        await bus.close()
    }

    /// Goal: at `maxmemory` forward producers stop, and draining topics continue.
    @Test func aFullRedisStillDrains() async throws {
        let fixture = try await RedisFixture()
        let bus = try fixture.bus()
        let forward = TestTopics.make(partitions: 1)
        let draining = TestTopics.make(admission: .draining, partitions: 1)
        let patient = try await bus.makeProducer(ProducerOptions(patience: .seconds(30)))
        let impatient = try await bus.makeProducer(ProducerOptions(patience: .seconds(2)))
        try await patient.send([forward.text("first"), draining.text("first")])
        try await fixture.command("CONFIG", "SET", "maxmemory", "1mb")
        let error = await #expect(throws: BusError.self) {
            for number in 0..<10_000 { try await impatient.send([forward.text("\(number)")]) }
        }
        #expect(error?.code == .full)
        for number in 0..<100 { try await patient.send([draining.text("\(number)")]) }

        // Goal: this also holds for processes that start now; otherwise nothing could drain a full Redis.
        let newcomer = try fixture.bus()
        let record = Record()
        let worker = try await RunningWorker(fixture, bus: newcomer, channel: draining.channel, group: "g") {
            messages, _ in
            for message in messages { record.add(message.text) }
            return []
        }
        #expect(await record.wait(forCount: 101))
        let other = TestTopics.make(admission: .draining)
        try await newcomer.makeProducer(ProducerOptions()).send([other.text("a new topic")])
        try await worker.stop()
        await newcomer.close()
        await bus.close()
    }
}
