import ServiceKit
import TestSupport
import Testing

/// The pages for operators beside `docs/operations.md` name metrics, alarms and variables: each must exist.
@Suite struct OperatorPagesTests {
    private static let pages = ["docs/failures.md", "docs/upgrading.md", "docs/security.md"]

    @Test(arguments: pages)
    func namesOnlyWhatThereIs(page: String) throws {
        let text = try #require(SourceTree.text(page))
        let operations = try #require(SourceTree.text("docs/operations.md"))
        let alarms = try #require(SourceTree.text("compose/observe/alerts.yaml"))
        let metrics = Set(MetricName.allCases.map(\.rawValue))
        for name in text.matches(of: /carillon_[a-z0-9_]+/).map({ String($0.output) }) {
            #expect(metrics.contains(name), "\(page)")
        }
        for name in text.matches(of: /Carillon[A-Z]\w+/).map({ String($0.output) }) {
            #expect(alarms.contains("alert: \(name)\n") && operations.contains("| `\(name)` |"), "\(name) in \(page)")
        }
        for name in text.matches(of: /CARILLON_[A-Z0-9_]*[A-Z0-9]/).map({ String($0.output) }) {
            #expect(operations.contains(name), "\(name) in \(page)")
        }
    }

    /// Every alarm leads an operator to its cause.
    @Test func everyAlarmIsASignOfAFailure() throws {
        let text = try #require(SourceTree.text("docs/failures.md"))
        let alarms = try #require(SourceTree.text("compose/observe/alerts.yaml"))
        for name in alarms.matches(of: /alert: (\w+)/).map({ String($0.output.1) }) { #expect(text.contains(name)) }
    }
}
