import Bus
import KafkaBus
import ServiceKit
import TestSupport
import Testing
import Topics

/// Round trips of messages through mock brokers.
@Suite(.timeLimit(.minutes(3)))
struct KafkaRoundTripTests {
    private let channel = testChannel()

    @Test func keepsKeyValueHeadersAndTheOrderOfAKey() async throws {
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

    /// Compaction distinguishes a tombstone from an empty value, but our consumer does not: another client reads the
    /// log.
    @Test func noValueIsATombstoneOnACompactedLogAndEmptyElsewhere() async throws {
        let kafka = try await KafkaFixture.start()
        let compacted = TestTopics.make(.log, admission: .draining, partitions: 1, cleanup: .compaction).channel
        for channel in [channel, compacted] { try await kafka.server.perform("create topic \(channel.name) 1") }
        let producer = try await kafka.bus().makeProducer(ProducerOptions())
        try await producer.send([channel.message("", key: "k"), compacted.message("", key: "k")])
        await producer.close()
        func length(in channel: Channel) async throws -> [String] {
            let reader = try ChildProcess(
                "kcat",
                arguments: [
                    "-C", "-q", "-b", kafka.server.bootstrap, "-t", channel.name, "-o", "beginning", "-e", "-f", "%S\n",
                ])
            await reader.line { _ in false }
            return reader.lines
        }
        #expect(try await length(in: channel) == ["0"])
        #expect(try await length(in: compacted) == ["-1"])
    }
}
