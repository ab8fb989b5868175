import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import KafkaBus

/// The senders' view of misbehaving brokers.
@Suite(.timeLimit(.minutes(5)))
struct KafkaProducerTests {
    private let channel = testChannel()

    private func texts(_ kafka: KafkaFixture, count: Int) async throws -> [String] {
        let consumer = try await kafka.bus().makeConsumer(ConsumerOptions(channel: channel, group: "reader"))
        let messages = try await consumer.collect(count)
        await consumer.close()
        return messages.map(\.text)
    }

    private func allBrokers(_ state: String, kafka: KafkaFixture) async throws {
        for broker in 1...3 { try await kafka.server.perform("broker \(state) \(broker)") }
    }

    @Test func aFullQueueMakesTheSenderWaitAndTheOrderIsKept() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        let producer = try await kafka.bus { $0.set("queue.buffering.max.messages", "10") }
            .makeProducer(ProducerOptions())
        try await producer.send((0..<500).map { channel.message("\($0)", key: "k") })
        #expect(kafka.metrics.total(.busProducerWaits) > 0)
        #expect(kafka.metrics.total(.busMessagesProduced) == 500)
        for name: MetricName in [.busMessagesProduced, .busBytesProduced, .busProducerWaits] {
            #expect(kafka.metrics.exposition().contains("\(name.rawValue){topic=\"\(channel.name)\"}"))
        }
        await producer.close()
        #expect(try await texts(kafka, count: 500) == (0..<500).map(String.init))
    }

    @Test func aQueueThatStaysFullFailsTheSendWhenItsPatienceEnds() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        let producer = try await kafka.bus { $0.set("queue.buffering.max.messages", "10") }
            .makeProducer(ProducerOptions(patience: .seconds(1)))
        try await allBrokers("down", kafka: kafka)
        let error = await #expect(throws: BusError.self) {
            try await producer.send((0..<20).map { channel.message("\($0)") })
        }
        #expect(error?.code == .full)
        try await allBrokers("up", kafka: kafka)
        await producer.close()
    }

    /// The library itself fails a message only after two minutes.
    @Test func unreachableBrokersFailTheSendWhenItsPatienceEnds() async throws {
        let configuration = try KafkaConfiguration(url: "kafka://127.0.0.1:\(FreePort.next())")
        let producer = try await KafkaBus(configuration, environment: TestEnvironment.real.forWorkers)
            .makeProducer(ProducerOptions(patience: .milliseconds(200)))
        let started = ContinuousClock.now
        let error = await #expect(throws: BusError.self) { try await producer.send([channel.message("x")]) }
        #expect(error?.code == .unavailable)
        #expect(ContinuousClock.now - started < .seconds(60))
    }

    /// The close waits until nothing is in flight, so it shows the outcome of the message that no task waited for.
    @Test func aSendThatFailedInAnOutageIsStillDeliveredAfterIt() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        let producer = try await kafka.bus().producer(ProducerOptions(patience: .seconds(3)))
        try await producer.send([channel.message("before", key: "k")])
        try await allBrokers("down", kafka: kafka)
        let error = await #expect(throws: BusError.self) {
            try await producer.send([channel.message("meanwhile", key: "k")])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("3s") == true)
        try await allBrokers("up", kafka: kafka)
        await producer.close()
        #expect(kafka.metrics.total(.busMessagesProduced) == 2)
        #expect(try await texts(kafka, count: 2) == ["before", "meanwhile"])
    }

    @Test func aMessageThatIsTooLargeIsRefusedBeforeItsBatchIsSent() async throws {
        let kafka = try await KafkaFixture.start()
        let producer = try await kafka.bus().makeProducer(ProducerOptions())
        let large = OutgoingMessage(
            channel: channel, key: nil, value: [UInt8](repeating: 0, count: Topics.messageBytesMaximum + 1))
        let error = await #expect(throws: BusError.self) { try await producer.send([channel.message("small"), large]) }
        #expect(error?.code == .tooLarge)
        await producer.close()
        #expect(kafka.metrics.total(.busMessagesProduced) == 0)
    }

    /// Brokers are down while the client becomes fatal, so all messages are in flight then; the new client must produce
    /// them again.
    @Test func aFatalProducerIsReplacedWithoutLossAndInOrder() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        let producer = try await kafka.bus().producer(ProducerOptions())
        try await producer.send([channel.message("first", key: "k")])
        try await allBrokers("down", kafka: kafka)
        async let sent = producer.send((0..<300).map { channel.message("\($0)", key: "k") })
        #expect(await blocking { producer.makeFatal(whenOut: 300, within: .hangLimit) })
        #expect(await kafka.lines.awaitLine("failed fatally: replacing it"))
        try await allBrokers("up", kafka: kafka)
        _ = try await sent
        try await producer.send([channel.message("last", key: "k")])
        await producer.close()
        #expect(kafka.metrics.total(.busProducerRestarts) == 1)
        #expect(try await texts(kafka, count: 302) == ["first"] + (0..<300).map(String.init) + ["last"])
    }

    @Test func aShortOutageOnlyDelaysASend() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        let producer = try await kafka.bus().producer(ProducerOptions())
        try await producer.send([channel.message("before", key: "k")])
        try await allBrokers("down", kafka: kafka)
        async let sent = producer.send([channel.message("meanwhile", key: "k")])
        try await allBrokers("up", kafka: kafka)
        _ = try await sent
        await producer.close()
        #expect(try await texts(kafka, count: 2) == ["before", "meanwhile"])
    }

    @Test func movingLeadersUnderLoadLosesNoMessage() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        let producer = try await kafka.bus().makeProducer(ProducerOptions())
        for round in 0..<9 {
            async let sent = producer.send((0..<50).map { channel.message("\(round * 50 + $0)", key: "k") })
            try await kafka.server.perform("leader \(channel.name) 0 \(round % 3 + 1)")
            _ = try await sent
        }
        await producer.close()
        #expect(try await texts(kafka, count: 450) == (0..<450).map(String.init))
    }

    @Test func theLibraryRetriesTransientErrors() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        let producer = try await kafka.bus().makeProducer(ProducerOptions())
        try await kafka.server.perform(
            "request-errors Produce NOT_ENOUGH_REPLICAS REQUEST_TIMED_OUT NOT_LEADER_FOR_PARTITION")
        try await producer.send((0..<20).map { channel.message("\($0)", key: "k") })
        await producer.close()
        #expect(try await texts(kafka, count: 20) == (0..<20).map(String.init))
    }

    @Test func aTopicWithoutWritePermissionIsRefused() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 1")
        try await kafka.server.perform("request-errors Produce TOPIC_AUTHORIZATION_FAILED")
        let producer = try await kafka.bus().makeProducer(ProducerOptions())
        let error = await #expect(throws: BusError.self) { try await producer.send([channel.message("x")]) }
        #expect(error?.code == .refused)
        await producer.close()
    }

    @Test func manyConcurrentSendersThenNone() async throws {
        let kafka = try await KafkaFixture.start()
        try await kafka.server.perform("create topic \(channel.name) 4")
        let producer = try await kafka.bus { $0.set("queue.buffering.max.messages", "50") }
            .makeProducer(ProducerOptions())
        await withThrowingTaskGroup(of: Void.self) { senders in
            for sender in 0..<40 {
                senders.addTask {
                    for round in 0..<5 { try await producer.send([channel.message("\(sender) \(round)")]) }
                }
            }
        }
        await producer.close()
        #expect(kafka.metrics.total(.busMessagesProduced) == 200)
        let error = await #expect(throws: BusError.self) { try await producer.send([channel.message("late")]) }
        #expect(error?.code == .closed)
    }
}
