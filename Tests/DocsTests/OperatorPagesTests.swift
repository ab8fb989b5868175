import ServiceKit
import TestSupport
import Testing

/// The pages for operators name metrics, alerts and variables: each must exist.
@Suite struct OperatorPagesTests {
    private static let failures = ["docs/failures.md", "docs/failures-providers.md"]
    private static let settings = ["docs/settings.md", "docs/settings-bus.md", "docs/settings-senders.md"]
    private static let pages = [
        "docs/alerts.md", "docs/failures-providers.md", "docs/failures.md", "docs/metrics.md", "docs/operations.md",
        "docs/packages.md", "docs/recovery.md", "docs/run.md", "docs/scaling.md", "docs/security.md",
        "docs/settings-bus.md", "docs/settings-senders.md", "docs/settings.md", "docs/upgrading.md",
    ]

    @Test(arguments: pages)
    func namesOnlyWhatThereIs(page: String) throws {
        let text = try joined([page])
        let settings = try joined(OperatorPagesTests.settings)
        let explained = try joined(["docs/alerts.md"])
        let alerts = try joined(["compose/observe/alerts.yaml"])
        let metrics = Set(MetricName.allCases.map(\.rawValue))
        for name in text.matches(of: /carillon_[a-z0-9_]+/).map({ String($0.output) }) {
            #expect(metrics.contains(name), "\(page)")
        }
        for name in text.matches(of: /Carillon[A-Z]\w+/).map({ String($0.output) }) {
            #expect(alerts.contains("alert: \(name)\n") && explained.contains("| `\(name)` |"), "\(name) in \(page)")
        }
        for name in text.matches(of: /CARILLON_[A-Z0-9_]*[A-Z0-9]/).map({ String($0.output) }) {
            #expect(settings.contains(name), "\(name) in \(page)")
        }
    }

    @Test func everyAlertIsExplained() throws {
        let page = try joined(["docs/alerts.md"])
        let explained = MarkdownTable.rows(under: "## Alerts", inPage: page).compactMap { $0.first }
        let known = try alerts().map { "`\($0)`" }
        #expect(explained == known)
    }

    /// Every alert leads an operator to its cause.
    @Test func everyAlertIsASignOfAFailure() throws {
        let text = try joined(OperatorPagesTests.failures)
        for name in try alerts() { #expect(text.contains(name)) }
    }

    /// In the order of the rules.
    private func alerts() throws -> [String] {
        try joined(["compose/observe/alerts.yaml"]).matches(of: /alert: (\w+)/).map { String($0.output.1) }
    }

    private func joined(_ pages: [String]) throws -> String {
        try pages.map { try #require(SourceTree.text($0)) }.joined(separator: "\n")
    }
}
