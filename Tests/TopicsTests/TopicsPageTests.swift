import TestSupport
import Testing
import Topics

/// Analysts and operators rely on `docs/topics.md`: each cell of its table is compared with the declaration.
@Suite struct TopicsPageTests {
    private let rows: [[String]]

    init() throws {
        rows = MarkdownTable.rows(under: "## The list", inPage: try #require(SourceTree.text("docs/topics.md")))
    }

    @Test func namesEveryTopicAndNoOtherInTheOrderOfTheCode() {
        #expect(rows.map { $0.first } == Topics.all.map { "`\($0.name)`" })
    }

    @Test(arguments: Topics.all.map(\.name))
    func showsATopicAsItIsDeclared(name: String) throws {
        let topic = try #require(Topics.all.first { $0.name == name })
        let row = try #require(rows.first { $0.first == "`\(name)`" })
        #expect(row == cells(topic))
    }

    private func cells(_ topic: TopicDeclaration) -> [String] {
        [
            "`\(topic.name)`", topic.kind.rawValue,
            topic.lanes.isEmpty ? "–" : topic.lanes.map(\.rawValue).joined(separator: ", "),
            topic.admission.rawValue, topic.key, topic.producers.joined(separator: ", "),
            topic.consumers.joined(separator: ", "), "\(topic.partitions.kafka) / \(topic.partitions.embedded)",
            kept(topic.cleanup),
        ]
    }

    private func kept(_ cleanup: TopicDeclaration.Cleanup) -> String {
        switch cleanup {
        case .age(let days): "\(days) days"
        case .brief: "1 hour"
        case .compaction: "last of each key"
        }
    }
}
