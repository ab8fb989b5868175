import CommandKit
import JSONKit
import KafkaBus
import Testing
import Topics

@testable import Carillon

@Suite struct TopicsCommandsTests {
    private let terminal = RecordedTerminal()

    private func run(_ words: String..., variables: [String: String] = [:]) async -> Int32 {
        await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: variables))
    }

    @Test func theTableHasALineForEveryTopic() async {
        #expect(await run("topics", "list") == 0)
        for topic in Topics.all {
            let line = terminal.printed.first { $0.hasPrefix("\(topic.name) ") }
            #expect(line?.contains("\(topic.partitions.kafka)/\(topic.partitions.embedded)") == true, "\(topic.name)")
        }
        #expect(terminal.printed.allSatisfy { $0.last != " " })
    }

    @Test func jsonHasAnObjectForEveryTopic() async {
        #expect(await run("topics", "list", "--json") == 0)
        #expect(terminal.printed.count == Topics.all.count)
        #expect(
            terminal.printed.last == """
                {"name":"dead","kind":"log","lanes":[],"key":"as in the original message","producers":["every worker"],\
                "consumers":["carillon","ingest-api"],"partitions_kafka":4,"partitions_embedded":1,"retention_days":30,\
                "compacted":false}
                """)
    }

    @Test func theEmbeddedBusNeedsNothing() async {
        #expect(await run("topics", "create", "--bus", "redis://127.0.0.1:1") == 0)
        #expect(terminal.printed == ["nothing to create: the embedded bus creates its streams on first use"])
    }

    @Test func aDryRunShowsWhatWouldBeAsked() async {
        let code = await run(
            "topics", "create", "--dry-run", "--replication=1", "--partitions", "audience=6",
            variables: ["CARILLON_BUS": "kafka://127.0.0.1:1"])
        #expect(code == 0)
        #expect(terminal.printed.count == Topics.all.flatMap(\.channels).count)
        let audience = terminal.printed.filter { $0.contains(" audience.") }
        #expect(audience.count == 2)
        #expect(audience.allSatisfy { $0.contains(": 6 partitions, replication 1, cleanup.policy=delete") })
        #expect(terminal.printed.contains { $0.contains(" tasks: 24 partitions,") })
    }

    @Test(arguments: [
        ("audience", "--partitions audience: expected TOPIC=N with N from 1 to 10000"),
        ("audience=0", "--partitions audience=0: expected TOPIC=N with N from 1 to 10000"),
        ("audiense=2", "unknown topic audiense; did you mean audience?"),
    ])
    func wrongPartitionsAreNamed(_ text: String, sentence: String) async {
        #expect(await run("topics", "create", "--partitions", text) == 64)
        #expect(terminal.complaints == ["carillon: \(sentence)\nSee carillon topics create --help"])
    }

    @Test func theReportNamesWhatDiffersAndFailsForWhatFailed() {
        let plans = KafkaTopics.plans(for: [Topics.tasks.declaration, Topics.retries.declaration], replicas: 1)
        let outcomes: [KafkaTopics.Outcome] = [.existed, .created, .differs(partitions: 5)]
        #expect(TopicsCreate.report(Array(zip(plans, outcomes)), terminal: terminal) == 0)
        #expect(
            terminal.printed.map { String($0.prefix(20)) } == [
                "exists  tasks", "created retries.fast", "exists  retries.bulk",
            ])
        #expect(terminal.complaints == ["retries.bulk has 5 partitions, expected 24"])

        #expect(TopicsCreate.report([(plans[0], .failed("no rights"))], terminal: terminal) == 1)
        #expect(terminal.complaints.last == "tasks was not created: no rights")
    }

    @Test func theReportAsJSONIsOneObjectForEachTopic() throws {
        let plans = KafkaTopics.plans(for: [Topics.tasks.declaration], replicas: 1)
        let outcomes: [(plan: KafkaTopicPlan, outcome: KafkaTopics.Outcome)] = [
            (plans[0], .differs(partitions: 5)), (plans[0], .failed("no rights")),
        ]
        #expect(TopicsCreate.report(outcomes, terminal: terminal, isJSON: true) == 1)
        let rows = try terminal.printed.map { try JSON($0) }
        #expect(rows.map { $0["outcome"]?.text } == ["differs", "failed"])
        #expect(rows[0]["partitions_found"] == .integer(5))
        #expect(rows[1]["problem"]?.text == "no rights")
        #expect(terminal.complaints == [])
    }
}
