import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import KafkaBus

/// Tests of groups, offsets and bounds.
@Suite(.timeLimit(.minutes(5)))
struct KafkaConsumerTests {
    private let channel = testChannel()

    private func fill(_ kafka: KafkaFixture, partitions: Int, messages: [OutgoingMessage]) async throws {
        try await kafka.server.perform("create topic \(channel.name) \(partitions)")
        let producer = try await kafka.bus().makeProducer(ProducerOptions())
        try await producer.send(messages)
        await producer.close()
    }

    /// Message 3 is not completed: the messages after it are, but their offsets are not committed.
    @Test func aRestartContinuesAtTheFirstIncompleteMessage() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 1, messages: (0..<8).map { channel.message("\($0)", key: "k") })
        let options = ConsumerOptions(
            channel: channel, group: "g", order: .none, batchMessagesMaximum: 1, handOverDeadline: .milliseconds(50))
        let first = try await kafka.bus().makeConsumer(options)
        for _ in 0..<6 {
            let delivery = try #require(await first.next())
            if delivery.messages[0].text != "3" { first.complete(delivery) }
        }
        await first.close()
        let second = try await kafka.bus().makeConsumer(options)
        #expect(try await second.collect(5).map(\.text) == ["3", "4", "5", "6", "7"])
        await second.close()
    }

    @Test func commitsOffsetsWhileTheConsumerRuns() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 1, messages: (0..<4).map { channel.message("\($0)", key: "k") })
        let options = ConsumerOptions(channel: channel, group: "g")
        let first = try await kafka.bus().makeConsumer(options)
        _ = try await first.collect(4)
        #expect(await kafka.lines.awaitLine("offsets committed"))
        #expect(try committed(kafka, group: "g") == [0: 4])
        await first.close()
    }

    /// Queries the brokers, with a client that does not join the group.
    private func committed(_ kafka: KafkaFixture, group: String) throws -> [Int32: Int64] {
        let settings = KafkaSettings.consumer(try kafka.configuration(), group: group, topic: channel.name)
        let client = try RDKafkaClient(
            .consumer, settings: settings, callbacks: RDKafkaCallbacks(log: TestEnvironment().log))
        return RDKafkaConsumer(client, topic: channel.name).committed([0], within: .hangLimit)
    }

    /// The first consumer holds work when the second joins, and finishes it while the partitions are revoked. The
    /// pretended brokers refuse commits while a group rebalances, which real ones do not, so that work comes once more
    /// here.
    @Test func aRebalanceWaitsForWorkInFlightAndLosesNothing() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 4, messages: (0..<40).map { channel.message("\($0)", key: "\($0)") })
        let options = ConsumerOptions(channel: channel, group: "g", handOverDeadline: .seconds(30))
        let bus = try kafka.bus()
        let first = try await bus.makeConsumer(options)
        let held = try #require(await first.next())
        #expect(first.assignedPartitions == 4)
        let second = try await bus.makeConsumer(options)
        #expect(await kafka.lines.awaitLine("partitions revoked"))
        #expect(first.isCurrent(held))
        #expect(!kafka.lines.contains("partitions released"))
        first.complete(held)
        #expect(await kafka.lines.awaitLine("partitions released"))
        #expect(!first.isCurrent(held))

        let others = Set((0..<40).map(String.init)).subtracting(held.messages.map(\.text))
        try await takeAll(others, from: [first, second])
        #expect(first.assignedPartitions == 2)
        #expect(second.assignedPartitions == 2)
        await first.close()
        await second.close()
    }

    /// Returns once all of these texts have arrived, from either consumer.
    private func takeAll(_ texts: Set<String>, from consumers: [any BusConsumer]) async throws {
        let seen = AsyncStream<String>.makeStream()
        let readers = consumers.map { consumer in
            Task {
                while let delivery = await consumer.next() {
                    for message in delivery.messages { seen.continuation.yield(message.text) }
                    consumer.complete(delivery)
                }
            }
        }
        var missing = texts
        for await text in seen.stream {
            missing.remove(text)
            if missing.isEmpty { break }
        }
        for consumer in consumers { consumer.stopTaking() }
        for reader in readers { await reader.value }
    }

    @Test func aConsumerThatIsNotReadStopsFetchingAtItsBoundAndResumesWithoutLoss() async throws {
        let kafka = try await KafkaFixture.start()
        let value = [UInt8](repeating: 7, count: 4_096)
        try await fill(
            kafka, partitions: 1,
            messages: (0..<600).map { OutgoingMessage(channel: channel, key: [UInt8($0 % 256)], value: value) })
        let consumer = try await kafka.bus().makeConsumer(
            ConsumerOptions(channel: channel, group: "g", batchMessagesMaximum: 10, bufferBytesMaximum: 256 << 10))
        #expect(await kafka.lines.awaitLine("fetching paused"))
        #expect(kafka.metrics.total(.busBytesBuffered) <= (256 + 64 + 8) << 10)
        let messages = try await consumer.collect(600)
        #expect(messages.map(\.offset) == (0..<600).map(Int64.init))
        #expect(kafka.lines.contains("fetching resumed"))
        #expect(kafka.metrics.total(.busOffsetGaps) == 0)
        await consumer.close()
    }

    /// The mock brokers keep 5 MiB per partition; messages dropped before they were read are a loss.
    @Test func messagesRemovedBeforeTheyWereReadRaiseAnAlarm() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 1, messages: [channel.message("0", key: "k")])
        let options = ConsumerOptions(channel: channel, group: "g")
        // The mock brokers count the bytes as they were sent.
        let bus = try kafka.bus { $0.set("compression.codec", "none") }
        let first = try await bus.makeConsumer(options)
        _ = try await first.collect(1)
        await first.close()
        let producer = try await bus.makeProducer(ProducerOptions())
        let value = [UInt8](repeating: 7, count: 200_000)
        for _ in 0..<40 { try await producer.send([OutgoingMessage(channel: channel, key: [1], value: value)]) }
        await producer.close()
        let second = try await bus.makeConsumer(options)
        let message = try #require(try await second.collect(1).first)
        #expect(message.offset > 1)
        #expect(await kafka.lines.awaitLine("messages missing"))
        #expect(kafka.metrics.total(.busOffsetGaps) == Int(message.offset) - 1)
        await second.close()
    }

    @Test func aFetchErrorThatRecursIsLoggedAgain() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 1, messages: [channel.message("0", key: "k")])
        let producer = try await kafka.bus().makeProducer(ProducerOptions())
        let consumer = try await kafka.bus().makeConsumer(ConsumerOptions(channel: channel, group: "g"))
        for round in 1...2 {
            _ = try await consumer.collect(1)
            // Under load the mock brokers' error does not always reach the consumer, so several are tried.
            var isLogged = false
            for _ in 0..<20 where !isLogged {
                try await kafka.server.perform("request-errors Fetch TOPIC_AUTHORIZATION_FAILED")
                isLogged = await kafka.lines.awaitLine(
                    "Kafka consumer cannot fetch", times: round, within: .seconds(2))
            }
            #expect(isLogged)
            try await producer.send([channel.message("\(round)", key: "k")])
        }
        await producer.close()
        await consumer.close()
    }

    @Test func aConsumerWithoutPartitionsHasJoined() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 1, messages: [channel.message("0", key: "k")])
        let bus = try kafka.bus()
        let options = ConsumerOptions(channel: channel, group: "g")
        let first = try await bus.makeConsumer(options)
        #expect(await kafka.lines.awaitLine("partitions assigned"))
        let second = try await bus.makeConsumer(options)
        // The first consumer rejoins when the second joins, under load more than once; in between nothing is assigned.
        var shares: [Int] = []
        for times in 3...8 where !(second.hasJoined && shares == [0, 1]) {
            #expect(await kafka.lines.awaitLine("partitions assigned", times: times))
            shares = [first.assignedPartitions, second.assignedPartitions].sorted()
        }
        #expect(shares == [0, 1])
        #expect(first.hasJoined && second.hasJoined)
        await first.close()
        await second.close()
    }

    /// Goal: after a rebalance the lag metrics of two members add up to the backlog, without partitions that were
    /// revoked.
    @Test func lagCoversOnlyTheAssignedPartitionsAfterARebalance() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 4, messages: (0..<40).map { channel.message("\($0)", key: "\($0)") })
        let options = ConsumerOptions(channel: channel, group: "g", handOverDeadline: .milliseconds(50))
        let first = try await kafka.bus().makeConsumer(options)
        while kafka.metrics.total(.busConsumerLag) != 40 { await Task.yield() }
        // Stands for another process, with its own metrics.
        let other = KafkaFixture(server: kafka.server)
        let second = try await other.bus().makeConsumer(options)
        #expect(await kafka.lines.awaitLine("partitions assigned", times: 2))
        #expect(await other.lines.awaitLine("partitions assigned"))
        while kafka.metrics.total(.busConsumerLag) + other.metrics.total(.busConsumerLag) != 40 { await Task.yield() }
        await second.close()
        await first.close()
        #expect(kafka.metrics.total(.busConsumerLag) + other.metrics.total(.busConsumerLag) == 0)
    }

    @Test func reportsTheProgressOfAGroupWithoutConsumers() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 2, messages: (0..<10).map { channel.message("\($0)", key: "\($0)") })
        let bus = try kafka.bus()
        let (reader, other) = (BusReader(channel, group: "g"), BusReader(channel, group: "h"))
        let absent = BusReader(testChannel("test.absent"), group: "g")
        let untouched = GroupProgress(waiting: 10, handled: 0)
        #expect(try await bus.progress(of: [reader, other, absent]) == [reader: untouched, other: untouched])
        let options = ConsumerOptions(channel: channel, group: "g", order: .none, batchMessagesMaximum: 1)
        let consumer = try await bus.makeConsumer(options)
        _ = try await consumer.collect(4)
        await consumer.close()
        let left = try await bus.progress(of: [reader, other])
        // Only the offsets before the first open message are committed.
        let behind = try #require(left[reader])
        #expect(6...9 ~= behind.waiting && behind.handled == 10 - behind.waiting)
        #expect(left[other] == untouched)
    }

    @Test func anOffsetThatTheLibraryRefusedIsStoredNextTime() throws {
        let id = PartitionID(channel: channel.name, number: 0)
        var inbox = Inbox(ConsumerOptions(channel: channel, group: "g"))
        inbox.assign(id)
        _ = inbox.offer(
            [
                IncomingMessage(
                    partition: id, offset: 6, key: nil, value: [], headers: [], timestamp: Timestamp(milliseconds: 0))
            ], to: id)
        let delivery = inbox.take()
        inbox.complete(try #require(delivery))
        let first = inbox.takeWatermarks()
        #expect(first == [id: 7])
        inbox.takeBack([StoreRefusal(partition: 0, problem: "", isOurs: true)], topic: channel.name)
        let second = inbox.takeWatermarks()
        #expect(second == first)
    }

    @Test func aStoppedConsumerDeliversNothingMoreButAcceptsCompletions() async throws {
        let kafka = try await KafkaFixture.start()
        try await fill(kafka, partitions: 1, messages: (0..<2).map { channel.message("\($0)", key: "k") })
        let options = ConsumerOptions(channel: channel, group: "g", batchMessagesMaximum: 1)
        let first = try await kafka.bus().makeConsumer(options)
        let delivery = try #require(await first.next())
        first.stopTaking()
        #expect(await first.next() == nil)
        first.complete(delivery)
        await first.close()
        let second = try await kafka.bus().makeConsumer(options)
        #expect(try await second.collect(1).map(\.text) == ["1"])
        await second.close()
    }
}
