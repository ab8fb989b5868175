import Bus
import MemoryBus
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(3))) struct MemoryBusTests {
    private let bus = MemoryBus(time: SystemTimeSource(), random: SystemRandomSource())
    private let topic = TestTopics.make(partitions: 2)

    /// Goal: a partition that returns during its rebalance is delivered again. Method: the first consumer has work of
    /// both partitions in flight while a second joins and leaves, so that one of them was being moved.
    @Test func aPartitionThatComesBackLives() async throws {
        let options = ConsumerOptions(channel: topic.channel, group: "g", batchMessagesMaximum: 1)
        let first = try await bus.makeConsumer(options)
        let producer = try await bus.makeProducer(ProducerOptions())
        let keys = (0..<20).map { "key \($0)" }
        for round in 0..<2 {
            try await producer.send(
                keys.map { topic.message(OpaqueMessage(Array("\($0) \(round)".utf8)), key: Array($0.utf8)) })
        }
        let held = [await first.next(), await first.next()].compactMap { $0 }
        #expect(Set(held.map(\.partition.number)) == [0, 1])
        let second = try await bus.makeConsumer(options)
        await second.close()
        for delivery in held { first.complete(delivery) }
        var seen = Set(held.flatMap(\.messages).map(\.value))
        while seen.count < 40, let delivery = await first.next() {
            seen.formUnion(delivery.messages.map(\.value))
            first.complete(delivery)
        }
        #expect(seen.count == 40)
        await first.close()
    }

    /// Goal: closing a producer finishes the sends that wait for room. Method: fill a topic, send one more message, and
    /// let a consumer make room only after the close began.
    @Test func closingAProducerWaitsForWhatIsSent() async throws {
        let time = ManualTimeSource()
        let bus = MemoryBus(bytesMaximum: 1_000, time: time, random: SystemRandomSource())
        let topic = TestTopics.make(partitions: 1)
        let message = topic.message(OpaqueMessage([UInt8](repeating: 1, count: 1_000)), key: nil)
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send([message])
        let sending = Task { try await producer.send([message]) }
        #expect(await time.hasSleepers(1))
        let closing = Task { await producer.close() }
        while (try? await producer.send([])) != nil { await Task.yield() }
        let consumer = try await bus.makeConsumer(ConsumerOptions(channel: topic.channel, group: "g"))
        let delivery = try #require(await consumer.next())
        consumer.complete(delivery)
        _ = try await sending.value
        await closing.value
        let error = await #expect(throws: BusError.self) { try await producer.send([message]) }
        #expect(error?.code == .closed)
        await consumer.close()
    }
}
