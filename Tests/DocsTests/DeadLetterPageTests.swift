import Bus
import ServiceKit
import TestSupport
import Testing

/// Readers of `dead` with other clients rely on the headers that `docs/topics.md` lists.
@Suite struct DeadLetterPageTests {
    @Test func listsEveryHeader() throws {
        let page = try #require(SourceTree.text("docs/topics.md"))
        let listed = MarkdownTable.rows(under: "## Messages", inPage: page).compactMap { $0.first }
        let message = IncomingMessage(
            partition: PartitionID(channel: "tasks", number: 0), offset: 0, key: nil, value: [], headers: [],
            timestamp: Timestamp(milliseconds: 0))
        let letter = DeadLetter(message, group: "test", reason: .poison, detail: "", attempts: 1)
        let names = [[MessageHeader].traceName] + letter.outgoing.headers.map(\.name)
        #expect(listed == names.map { "`\($0)`" })
    }
}
