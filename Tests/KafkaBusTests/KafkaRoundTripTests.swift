import Bus
import KafkaBus
import ServiceKit
import TestSupport
import Testing
import Topics

/// Messages through pretended brokers and back.
@Suite(.timeLimit(.minutes(1)))
struct KafkaRoundTripTests {
    private let channel = testChannel()

    @Test("key, value, headers and order of a key survive")
    func roundTrip() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 4")
        let bus = try kafka.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let consumer = try await bus.makeConsumer(ConsumerOptions(channel: channel, group: "g"))
        let headers = [MessageHeader("traceparent", "00-ab-cd-01"), MessageHeader("empty", [])]
        try await producer.send((0..<300).map { channel.message("\($0)", key: "key \($0 % 7)", headers: headers) })

        let messages = try await consumer.collect(300)
        for key in 0..<7 {
            let mine = messages.filter { $0.key == Array("key \(key)".utf8) }
            #expect(mine.map(\.text) == stride(from: key, to: 300, by: 7).map(String.init))
            #expect(
                Set(mine.map(\.partition.number)) == [Partitioner.partition(ofKey: Array("key \(key)".utf8), count: 4)])
        }
        #expect(messages.allSatisfy { $0.headers == headers })
        #expect(messages.allSatisfy { $0.timestamp > Timestamp(milliseconds: 1_600_000_000_000) })
        await producer.close()
        await consumer.close()
    }
}
