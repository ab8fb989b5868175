import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import KafkaBus

struct KafkaTopicsTests {
    @Test func plansEveryTopicAndLaneOnceWithItsPartitions() throws {
        let plans = KafkaTopics.plans(replicas: 3)
        #expect(Set(plans.map(\.name)) == Set(Topics.all.flatMap { $0.channels.map(\.name) }))
        #expect(Set(plans.map(\.name)).count == plans.count)
        let registry = try #require(plans.first { $0.name == "registry" })
        #expect(registry.partitions == 64 && registry.replicas == 3)
        #expect(registry.settings.contains(.init(name: "cleanup.policy", value: "compact")))
        #expect(registry.settings.contains(.init(name: "delete.retention.ms", value: "604800000")))
        #expect(!registry.settings.contains { $0.name == "retention.ms" })
        let events = try #require(plans.first { $0.name == "events" })
        for setting in [
            ("retention.ms", "3600000"), ("retention.bytes", "67108864"), ("segment.ms", "600000"),
            ("segment.bytes", "8388608"),
        ] {
            #expect(events.settings.contains(.init(name: setting.0, value: setting.1)))
        }
        let reports = try #require(plans.first { $0.name == "reports" })
        #expect(reports.settings.contains(.init(name: "retention.ms", value: "2592000000")))
    }

    @Test(arguments: [(1, "1"), (2, "1"), (3, "2")])
    func oneReplicaMayBeMissingUnlessItIsTheOnlyOne(count: Int, minimum: String) throws {
        let plan = try #require(KafkaTopics.plans(replicas: count).first)
        #expect(plan.settings.contains(.init(name: "min.insync.replicas", value: minimum)))
    }

    @Test func acceptsExistingTopicsAndReportsADifferentPartitionCount() {
        let plan = KafkaTopicPlan(name: "t", partitions: 4, replicas: 1, settings: [])
        #expect(KafkaTopics.outcome(of: plan, .created, existing: nil) == .created)
        #expect(KafkaTopics.outcome(of: plan, .existed, existing: 4) == .existed)
        #expect(KafkaTopics.outcome(of: plan, .existed, existing: 3) == .differs(partitions: 3))
        #expect(KafkaTopics.outcome(of: plan, .failed("no"), existing: nil) == .failed("no"))
    }

    @Test func brokersThatCannotCreateTopicsAreReported() async throws {
        let kafka = try await KafkaFixture.start(brokers: 1)
        let configuration = try kafka.configuration()
        let error = await #expect(throws: BusError.self) {
            _ = try await KafkaTopics.create(
                KafkaTopics.plans(replicas: 1), on: configuration, within: .seconds(1), log: kafka.environment.log)
        }
        #expect(error?.message.hasPrefix("topics not created") == true)
    }
}

/// Log lines of an outage, without any broker.
struct BrokerOutageTests {
    @Test func logsAnOutageAtItsStartEachMinuteAndAtItsEnd() {
        var outage = BrokerOutage()
        #expect(outage.checkRecovery(at: .seconds(1)) == nil && !outage.isOpen)
        #expect(outage.fail("a", at: .seconds(1)) == .began("a"))
        for second in 2..<61 { #expect(outage.fail("b", at: .seconds(second)) == nil) }
        #expect(outage.fail("c", at: .seconds(61)) == .lasts("c", failures: 61, since: .seconds(60)))
        #expect(outage.fail("d", at: .seconds(62)) == nil)
        #expect(outage.checkRecovery(at: .seconds(96)) == nil)
        #expect(outage.checkRecovery(at: .seconds(97)) == .ended("d", failures: 62, lasted: .seconds(61)))
        #expect(outage.checkRecovery(at: .seconds(98)) == nil && !outage.isOpen)
        #expect(outage.fail("e", at: .seconds(99)) == .began("e"))
    }
}

@Suite(.timeLimit(.minutes(3)))
struct KafkaReadinessTests {
    @Test func readyWhileBrokersAnswerOtherwiseNamesTheReason() async throws {
        let kafka = try await KafkaFixture.start(brokers: 1)
        #expect(try await kafka.bus().readiness() == .ready)

        let port = FreePort.next()
        let bus = try KafkaBus(try KafkaConfiguration(url: "kafka://127.0.0.1:\(port)"), environment: kafka.environment)
        guard case .notReady(let reason) = await bus.readiness() else {
            Issue.record("ready without a broker")
            return
        }
        #expect(reason.contains("Kafka does not answer") && reason.contains("\(port)"))
    }

    /// Goal: many clients with several connections notice that brokers are down; the log has one line about it.
    @Test func logsOneLineForAnOutageOfAllClients() async throws {
        let kafka = try await KafkaFixture.start(brokers: 2)
        try await kafka.server.perform("create topic t.outage 2")
        let bus = try kafka.bus()
        let channel = testChannel("t.outage")
        let producers = [
            try await bus.makeProducer(ProducerOptions()), try await bus.makeProducer(ProducerOptions()),
        ]
        for producer in producers { try await producer.send([channel.message("a", key: "k")]) }
        for broker in 1...2 { try await kafka.server.perform("broker down \(broker)") }
        #expect(await kafka.lines.awaitLine(#""librdkafka":"FAIL""#, times: 4))
        #expect(await kafka.lines.awaitLine("broker connections failing: counting further failures"))
        #expect(kafka.lines.count(#""level":"warning""#, and: #""librdkafka":"FAIL""#) == 0)
        #expect(kafka.lines.count("broker connections failing:", and: "") == 1)
        for broker in 1...2 { try await kafka.server.perform("broker up \(broker)") }
        for producer in producers { try await producer.send([channel.message("b", key: "k")]) }
        for producer in producers { await producer.close() }
    }
}
