import CommandKit
import KafkaBus
import ServiceHost
import ServiceKit
import Topics

struct TopicsCreate: Command {
    static let declaration = CommandDeclaration(
        "topics create", purpose: "create the topics that do not exist on Kafka yet",
        options: [replication, partitions, timeout, dryRun, .json, .bus, .data],
        notes: """
            Safe to repeat: existing topics are not changed. A topic with another number of partitions than planned is
            reported but not changed: keys are assigned to partitions by that number, so a change would move them. The
            embedded bus needs no topics to be created.
            """)

    private static let replication = CommandOption(
        "--replication", value: "N", meaning: "Replicas of each partition (default: 3); a single broker requires 1")
    private static let partitions = CommandOption(
        "--partitions", value: "TOPIC=N", isRepeatable: true,
        meaning: "Partitions of a topic, or of each of its lanes (default: see carillon topics list); repeatable")
    private static let timeout = CommandOption(
        "--timeout", value: "TIME", meaning: "How long the brokers may take, such as 10s (default: 30s)")
    private static let dryRun = CommandOption(
        "--dry-run", meaning: "Print the topics that would be requested, without connecting to Kafka")

    private let plans: [KafkaTopicPlan]
    private let timeout: Duration
    private let isDryRun: Bool
    private let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        let replicas = try arguments.integer(TopicsCreate.replication, default: 3, in: 1...100)
        let counts = try TopicsCreate.counts(in: arguments.values(TopicsCreate.partitions))
        let declarations = Topics.all.map { topic in counts[topic.name].map(topic.withKafkaPartitions) ?? topic }
        plans = KafkaTopics.plans(for: declarations, replicas: replicas)
        timeout = try arguments.duration(TopicsCreate.timeout, default: .seconds(30), in: .seconds(1) ... .seconds(600))
        isDryRun = arguments.has(TopicsCreate.dryRun)
        isJSON = arguments.has(.json)
    }

    private static func counts(in texts: [String]) throws(UsageError) -> [String: Int] {
        var counts: [String: Int] = [:]
        let names = Topics.all.map(\.name)
        for text in texts {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let count = Int(parts[1]), (1...10_000).contains(count) else {
                throw UsageError("--partitions \(text): expected TOPIC=N with N from 1 to 10000")
            }
            guard names.contains(parts[0]) else {
                throw UsageError("unknown topic \(parts[0])" + Spelling.advice(parts[0], among: names))
            }
            counts[parts[0]] = count
        }
        return counts
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let (bus, log) = try context.settings()
        guard let kafka = bus.kafka else {
            let notice = "nothing to create: the embedded bus creates its streams on first use"
            if isJSON { context.terminal.complain(notice) } else { context.terminal.print(notice) }
            return 0
        }
        if isDryRun {
            for plan in plans { TopicReport(plan: plan, outcome: nil).show(on: context.terminal, isJSON: isJSON) }
            return 0
        }
        let outcomes = try await KafkaTopics.create(plans, on: kafka, within: timeout, log: log)
        return TopicsCreate.report(outcomes, terminal: context.terminal, isJSON: isJSON)
    }

    /// Prints a line for each topic; returns the exit code.
    static func report(
        _ outcomes: [(plan: KafkaTopicPlan, outcome: KafkaTopics.Outcome)], terminal: any Terminal,
        isJSON: Bool = false
    ) -> Int32 {
        var code: Int32 = 0
        for (plan, outcome) in outcomes {
            TopicReport(plan: plan, outcome: outcome).show(on: terminal, isJSON: isJSON)
            if case .failed = outcome { code = ExitCode.failure }
        }
        return code
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
