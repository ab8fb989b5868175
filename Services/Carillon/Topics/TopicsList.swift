import CommandKit
import ServiceKit
import Topics

struct TopicsList: Command {
    static let declaration = CommandDeclaration(
        "topics list", purpose: "list the topics with their producers, consumers and retention", options: [.json])

    private let isJSON: Bool

    init(_ arguments: CommandArguments) {
        isJSON = arguments.has(.json)
    }

    func run(in context: CommandContext) -> Int32 {
        if isJSON {
            for topic in Topics.all { context.terminal.print(TopicsList.json(topic)) }
        } else {
            context.terminal.print(TopicsList.table(Topics.all))
        }
        return 0
    }

    static func table(_ topics: [TopicDeclaration]) -> Table {
        let header = [
            "TOPIC", "KIND", "LANES", "KEY", "PARTITIONS\nkafka/embedded", "KAFKA RETENTION", "PRODUCERS", "CONSUMERS",
        ]
        return Table(
            header: header,
            rows: topics.map { topic in
                [
                    topic.name, topic.kind.rawValue, topic.lanes.map(\.rawValue).joined(separator: "\n"), topic.key,
                    "\(topic.partitions.kafka)/\(topic.partitions.embedded)", retention(topic),
                    topic.producers.joined(separator: "\n"), topic.consumers.joined(separator: "\n"),
                ]
            })
    }

    static func json(_ topic: TopicDeclaration) -> String {
        JSONText.object { json in
            json.member("name", topic.name)
            json.member("kind", topic.kind.rawValue)
            json.member("lanes", json: JSONText.array(topic.lanes.map(\.rawValue)))
            json.member("key", topic.key)
            json.member("producers", json: JSONText.array(topic.producers))
            json.member("consumers", json: JSONText.array(topic.consumers))
            json.member("partitions_kafka", topic.partitions.kafka)
            json.member("partitions_embedded", topic.partitions.embedded)
            switch topic.cleanup {
            case .age(let days): json.member("retention_days", days)
            case .brief: json.member("retention_days", TopicDeclaration.briefAge / .seconds(86_400))
            case .compaction: json.member("retention_days", json: "null")
            }
            json.member("compacted", topic.cleanup == .compaction)
        }
    }

    private static func retention(_ topic: TopicDeclaration) -> String {
        switch topic.cleanup {
        case .age(let days): "\(days) days"
        case .brief: "1 hour"
        case .compaction: "last of each key"
        }
    }
}
