package import Bus
package import ServiceKit
package import Topics

/// Creates the topics of the house. Safe to repeat: what exists is left as it is.
package enum KafkaTopics {
    package enum Outcome: Sendable, Equatable {
        case created
        case existed
        /// It exists with another number of partitions, which decides where keys live; changing it is the operator's call.
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
                    settings: settings(declaration.cleanup, replicas: replicas))
            }
        }
    }

    private static func settings(_ cleanup: TopicDeclaration.Cleanup, replicas: Int) -> [KafkaTopicPlan.Setting] {
        let kept: [KafkaTopicPlan.Setting] =
            switch cleanup {
            case .age(let days):
                [
                    .init(name: "cleanup.policy", value: "delete"),
                    .init(name: "retention.ms", value: "\(days * millisecondsPerDay)"),
                ]
            case .compaction: compacted
            }
        return kept + [
            // One replica may be away without stopping the house; with acks=all an acknowledged message is on the others.
            .init(name: "min.insync.replicas", value: "\(max(1, replicas - 1))"),
            // A replica that missed messages must not become the truth.
            .init(name: "unclean.leader.election.enable", value: "false"),
        ]
    }

    private static let compacted: [KafkaTopicPlan.Setting] = [
        .init(name: "cleanup.policy", value: "compact"),
        // Who reads the log and was away for as long as this may never hear that a key is gone.
        .init(name: "delete.retention.ms", value: "\(7 * millisecondsPerDay)"),
        // The newest part of a log is never compacted, and what is erased should not lie there much longer than a week.
        .init(name: "segment.ms", value: "\(millisecondsPerDay)"),
        .init(name: "max.compaction.lag.ms", value: "\(7 * millisecondsPerDay)"),
        .init(name: "min.cleanable.dirty.ratio", value: "0.2"),
    ]

    /// What became of each plan, in order.
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
        case nil: .failed("the brokers did not mention it")
        case .existed:
            if let existing, existing != plan.partitions { .differs(partitions: existing) } else { .existed }
        }
    }
}
