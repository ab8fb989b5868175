import Bus
import Glibc
import ServiceKit
import TestSupport
import Testing
import Topics

/// Tests the work of a consumer that dies, and that of one that is only slow. The consumers are processes.
@Suite struct ProcessDeathTests {
    /// Goal: nothing is lost when one of two consumers is killed. Method: both print what they handle; one is killed in
    /// the middle, more is sent, and together they must have printed everything.
    @Test(arguments: [Driver.redis, .kafka])
    func theOtherConsumerFinishesWhatAKilledOneLeft(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make()
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let victim = try #require(try fixture.spawnProbe(topic, group: "g"))
        let survivor = try #require(try fixture.spawnProbe(topic, group: "g"))
        #expect(await victim.line { $0.contains("\"running\"") } != nil)
        #expect(await survivor.line { $0.contains("\"running\"") } != nil)

        // Single messages over many keys, until both consumers have received some.
        var sent = 0
        func send(_ count: Int) async throws {
            try await producer.send((sent..<(sent + count)).map { topic.text("\($0)", key: "\($0)") })
            sent += count
        }
        let handled: @Sendable (String) -> Bool = { $0.hasPrefix("handled") }
        try await send(400)
        while !(victim.lines.contains(where: handled) && survivor.lines.contains(where: handled)) {
            try #require(sent < 200_000, "one of the two received no message")
            let before = (victim.lines.count, survivor.lines.count)
            try await send(40)
            _ = await survivor.line(within: .seconds(1), from: before.1, where: handled)
        }
        victim.signal(SIGKILL)
        #expect(await victim.end() == .signalled(SIGKILL))
        try await send(400)

        let expected = Set((0..<sent).map { "handled \($0)" })
        let byVictim = Set(victim.lines)
        var next = 0
        while !expected.isSubset(of: byVictim.union(survivor.lines)) {
            let line = await survivor.line(within: .hangLimit, from: next, where: handled)
            try #require(line != nil, "\(expected.subtracting(byVictim.union(survivor.lines)).count) messages are lost")
            next = survivor.lines.count
        }
        await bus.close()
    }

    /// Goal: a slow but living consumer keeps its work. Method: a dead consumer in another group shows when the time
    /// has passed after which dead ones are replaced.
    @Test(arguments: [Driver.redis, .kafka])
    func aSlowConsumerKeepsWhatItHolds(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 1)
        try await fixture.prepare(topic)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send([topic.text("slow")])

        let gate = Gate()
        let record = Record()
        let slow = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "living") { messages, _ in
            await gate.pass()
            for message in messages { record.add("slow \(message.text)") }
            return []
        }
        await gate.awaitArrival()
        let dead = try #require(try fixture.spawnProbe(topic, group: "dying"))
        #expect(await dead.line { $0 == "handled slow" } != nil)
        dead.signal(SIGKILL)
        _ = await dead.end()
        try await producer.send([topic.text("later")])
        let heir = Record()
        let replacement = try await RunningWorker(fixture, bus: bus, channel: topic.channel, group: "dying") {
            messages, _ in
            for message in messages { heir.add(message.text) }
            return []
        }
        #expect(await heir.wait { $0.contains("later") })

        #expect(slow.consumer.assignedPartitions == 1)
        #expect(record.all.isEmpty)
        gate.open()
        #expect(await record.wait(forCount: 2))
        #expect(record.all == ["slow slow", "slow later"])
        try await slow.stop()
        try await replacement.stop()
        await bus.close()
    }
}
