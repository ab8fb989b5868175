import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite struct RedisDeathTests {
    /// Goal: what was acknowledged survives SIGKILL of redis-server under load, and the bus goes on by itself. Method: ten
    /// producers note what they were promised; the server is killed and started again in the middle, twice.
    @Test func nothingAcknowledgedIsLost() async throws {
        let fixture = try await RedisFixture()
        let topic = TestTopics.make()
        let bus = try fixture.bus()
        let promised = Record()
        let handled = Record()
        let worker = try await RunningWorker(fixture, bus, topic.channel, group: "g") { messages, _ in
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

    /// Goal: a Redis that forgets on the way is not called ready.
    @Test func aRedisThatIsNotDurableIsNotReady() async throws {
        let fixture = try await RedisFixture()
        let bus = try fixture.bus()
        #expect(await bus.readiness() == .ready)
        try await fixture.command("CONFIG", "SET", "appendfsync", "everysec")
        let readiness = await bus.readiness()
        guard case .notReady(let reason) = readiness else {
            Issue.record("it should not be ready")
            return
        }
        #expect(reason.contains("appendfsync always"))
        await bus.close()
    }

    /// Goal: at `maxmemory` the forward producers stop, and what drains goes on.
    @Test func aFullRedisStillDrains() async throws {
        let fixture = try await RedisFixture()
        let bus = try fixture.bus()
        let forward = TestTopics.make(partitions: 1)
        let draining = TestTopics.make(admission: .draining, partitions: 1)
        let patient = try await bus.makeProducer(ProducerOptions(patience: .milliseconds(500)))
        try await patient.send([forward.text("first"), draining.text("first")])
        try await fixture.command("CONFIG", "SET", "maxmemory", "1mb")
        let error = await #expect(throws: BusError.self) {
            for number in 0..<10_000 { try await patient.send([forward.text("\(number)")]) }
        }
        #expect(error?.code == .full)
        for number in 0..<100 { try await patient.send([draining.text("\(number)")]) }
        await bus.close()
    }
}
