import KafkaBus
import ServiceHost
import ServiceKit
import Topics

struct TopicsCreate: Command {
    static let declaration = CommandDeclaration(
        "topics create", purpose: "creates the topics that Kafka does not have yet",
        options: [replication, partitions, timeout, dryRun, .bus],
        notes: """
            Safe to repeat: a topic that exists stays as it is. One with another number of partitions than planned is named,
            and left to you: the number decides where keys live, so changing it moves them. The embedded bus needs no
            topics to be created.
            """)

    private static let replication = CommandOption(
        "--replication", value: "N", meaning: "Copies of each partition; 3 unless told. A single broker keeps 1.")
    private static let partitions = CommandOption(
        "--partitions", value: "TOPIC=N", isRepeatable: true,
        meaning: "Partitions of one topic, each of its lanes, in place of those that carillon topics list shows.")
    private static let timeout = CommandOption(
        "--timeout", value: "TIME", meaning: "How long the brokers may take, such as 10s; 30s unless told.")
    private static let dryRun = CommandOption(
        "--dry-run", meaning: "Only show what would be asked of Kafka, without asking whether it exists.")

    private let plans: [KafkaTopicPlan]
    private let timeout: Duration
    private let isDryRun: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        let replicas = try arguments.integer(TopicsCreate.replication, default: 3, in: 1...100)
        let counts = try TopicsCreate.counts(in: arguments.values(TopicsCreate.partitions))
        let declarations = Topics.all.map { topic in counts[topic.name].map(topic.withKafkaPartitions) ?? topic }
        plans = KafkaTopics.plans(for: declarations, replicas: replicas)
        timeout = try arguments.duration(TopicsCreate.timeout, default: .seconds(30), in: .seconds(1) ... .seconds(600))
        isDryRun = arguments.has(TopicsCreate.dryRun)
    }

    private static func counts(in texts: [String]) throws(UsageError) -> [String: Int] {
        var counts: [String: Int] = [:]
        let names = Topics.all.map(\.name)
        for text in texts {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let count = Int(parts[1]), (1...10_000).contains(count) else {
                throw UsageError("--partitions \(text): write it as TOPIC=N, N from 1 to 10000")
            }
            guard names.contains(parts[0]) else {
                throw UsageError("no topic \(parts[0])" + Spelling.advice(parts[0], among: names))
            }
            counts[parts[0]] = count
        }
        return counts
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let (bus, log) = try context.settings()
        guard let kafka = bus.kafka else {
            context.terminal.print("nothing to create: the embedded bus makes its streams as it needs them")
            return 0
        }
        if isDryRun {
            for plan in plans { context.terminal.print("would create, if missing, \(TopicsCreate.text(plan))") }
            return 0
        }
        let outcomes = try await KafkaTopics.create(plans, on: kafka, within: timeout, log: log)
        return TopicsCreate.report(outcomes, terminal: context.terminal)
    }

    /// A line each, and whether all is well.
    static func report(
        _ outcomes: [(plan: KafkaTopicPlan, outcome: KafkaTopics.Outcome)], terminal: any Terminal
    ) -> Int32 {
        var failures = 0
        for (plan, outcome) in outcomes {
            switch outcome {
            case .created: terminal.print("created \(text(plan))")
            case .existed: terminal.print("exists  \(plan.name)")
            case .differs(let partitions):
                terminal.print("exists  \(plan.name)")
                terminal.complain("\(plan.name) has \(partitions) partitions, planned are \(plan.partitions)")
            case .failed(let problem):
                failures += 1
                terminal.complain("\(plan.name) was not created: \(problem)")
            }
        }
        return failures == 0 ? 0 : ExitCode.failure
    }

    private static func text(_ plan: KafkaTopicPlan) -> String {
        let settings = plan.settings.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        return "\(plan.name): \(plan.partitions) partitions, replication \(plan.replicas), \(settings)"
    }
}

extension TopicDeclaration {
    fileprivate func withKafkaPartitions(_ count: Int) -> TopicDeclaration {
        TopicDeclaration(
            name, kind: kind, admission: admission, lanes: lanes, cleanup: cleanup,
            partitions: Partitions(kafka: count, embedded: partitions.embedded), key: key, from: producers,
            to: consumers)
    }
}
