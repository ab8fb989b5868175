package import Bus
package import ServiceKit
package import Topics

/// Creates the pipeline's topics. Idempotent: existing topics stay unchanged.
package enum KafkaTopics {
    package enum Outcome: Sendable, Equatable {
        case created
        case existed
        /// The topic has another number of partitions, which decides key placement; only the operator may change it.
        case differs(partitions: Int)
        case failed(String)
    }

    private static let millisecondsPerDay = 86_400_000

    package static func plans(
        for declarations: [TopicDeclaration] = Topics.all, replicas: Int
    ) -> [KafkaTopicPlan] {
        declarations.flatMap { declaration in
            declaration.channels.map { channel in
                KafkaTopicPlan(
                    name: channel.name, partitions: declaration.partitions.kafka, replicas: replicas,
                    settings: settings(declaration, replicas: replicas))
            }
        }
    }

    private static func settings(_ declaration: TopicDeclaration, replicas: Int) -> [KafkaTopicPlan.Setting] {
        let kept: [KafkaTopicPlan.Setting] =
            switch declaration.cleanup {
            case .age(let days):
                [
                    .init(name: "cleanup.policy", value: "delete"),
                    .init(name: "retention.ms", value: "\(days * millisecondsPerDay)"),
                ]
            case .brief: brief(partitions: declaration.partitions.kafka)
            case .compaction: compacted
            }
        return kept + [
            // One replica may be down without an outage; with acks=all the others have every acknowledged message.
            .init(name: "min.insync.replicas", value: "\(max(1, replicas - 1))"),
            // A replica that missed messages must not become the leader.
            .init(name: "unclean.leader.election.enable", value: "false"),
        ]
    }

    /// Only whole segments are deleted, so these are small.
    private static func brief(partitions: Int) -> [KafkaTopicPlan.Setting] {
        [
            .init(name: "cleanup.policy", value: "delete"),
            .init(name: "retention.ms", value: "\(TopicDeclaration.briefAge.wholeMilliseconds)"),
            .init(name: "retention.bytes", value: "\(TopicDeclaration.briefBytesMaximum / partitions)"),
            .init(name: "segment.ms", value: "\(TopicDeclaration.briefAge.wholeMilliseconds / 6)"),
            .init(name: "segment.bytes", value: "\(TopicDeclaration.briefBytesMaximum / partitions / 8)"),
        ]
    }

    private static let compacted: [KafkaTopicPlan.Setting] = [
        .init(name: "cleanup.policy", value: "compact"),
        // A reader that was down for this long may miss that a key was deleted.
        .init(name: "delete.retention.ms", value: "\(7 * millisecondsPerDay)"),
        // The newest part of a log is never compacted, and deleted data should not stay much longer than a week.
        .init(name: "segment.ms", value: "\(millisecondsPerDay)"),
        .init(name: "max.compaction.lag.ms", value: "\(7 * millisecondsPerDay)"),
        .init(name: "min.cleanable.dirty.ratio", value: "0.2"),
    ]

    /// Returns the outcome of each plan, in order.
    package static func create(
        _ plans: [KafkaTopicPlan], on configuration: KafkaConfiguration, within limit: Duration = .seconds(30),
        log: Log
    ) async throws(BusError) -> [(plan: KafkaTopicPlan, outcome: Outcome)] {
        let answer = await onNativeThread("kafka-admin") {
            Result { () throws(BusError) in
                let client = try RDKafkaClient(
                    .producer, settings: KafkaSettings.observer(configuration), callbacks: RDKafkaCallbacks(log: log))
                let admin = RDKafkaAdmin(client: client)
                let creations = try admin.create(plans, within: limit)
                return (creations, try admin.partitionCounts(within: limit))
            }
        }
        let (creations, counts) = try answer.get()
        return plans.map { ($0, outcome(of: $0, creations[$0.name], existing: counts[$0.name])) }
    }

    static func outcome(
        of plan: KafkaTopicPlan, _ creation: RDKafkaAdmin.Creation?, existing: Int?
    ) -> Outcome {
        switch creation {
        case .created: .created
        case .failed(let problem): .failed(problem)
        case nil: .failed("missing from the brokers' answer")
        case .existed:
            if let existing, existing != plan.partitions { .differs(partitions: existing) } else { .existed }
        }
    }
}
