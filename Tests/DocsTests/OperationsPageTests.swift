import Bus
import ServiceHost
import ServiceKit
import TestSupport
import Testing

@testable import APNsSender
@testable import AndroidSender
@testable import EventStream
@testable import IngestAPI
@testable import ProviderSimulator
@testable import Renderer
@testable import Reporter
@testable import Scheduler
@testable import TargetingResolver
@testable import WebSender

/// The pages for operators are compared with what services read and show, in both directions: an operator must find
/// every setting and metric there, and nothing that does not exist.
@Suite struct OperationsPageTests {
    @Test func listsEverySettingOfAService() throws {
        var reader = EnvironmentReader([:])
        _ = HostConfiguration(environment: &reader)
        _ = WorkerOptions(environment: &reader)
        // Like every service that reads apps, it reads their settings first.
        _ = IngestConfiguration(environment: &reader)
        _ = RendererConfiguration(environment: &reader)
        _ = SchedulerConfiguration(environment: &reader)
        _ = SimulatorConfiguration(environment: &reader)
        _ = TargetingResolverConfiguration(environment: &reader)
        var (apple, android, reports) = (EnvironmentReader([:]), EnvironmentReader([:]), EnvironmentReader([:]))
        var web = EnvironmentReader([:])
        _ = APNsSenderConfiguration(environment: &apple)
        _ = AndroidSenderConfiguration(environment: &android)
        _ = WebSenderConfiguration(environment: &web)
        _ = ReporterConfiguration(environment: &reports)
        var stream = EnvironmentReader([:])
        _ = EventStreamConfiguration(environment: &stream)
        var senders = apple.variables
        for other in [android, web] { senders += other.variables.filter { !senders.contains($0) } }
        let own = (senders + reports.variables + stream.variables).filter {
            !reader.variables.contains($0)
        }
        let listed =
            try rows(under: "# Settings", inPage: "docs/settings.md")
            + rows(under: "# Settings of the bus", inPage: "docs/settings-bus.md")
            + rows(under: "# Settings of the senders", inPage: "docs/settings-senders.md")
        let known = (reader.variables + own).map(row)
        #expect(difference(listed, others: known) == [], "only in the pages")
        #expect(difference(known, others: listed) == [], "only in the code")
        #expect(listed.count == known.count)
        let families = Set(listed.compactMap { $0.first?.split(separator: "_").dropFirst().first })
        let unknown = families.map { $0.filter { $0 != "`" } }.filter { !EnvironmentReader.families.contains($0) }
        #expect(unknown == [], "services would report variables of these families as unknown")
    }

    @Test func listsEveryMetric() throws {
        // Without the third column: the labels are chosen where a metric is created.
        let listed = try rows(under: "## Metrics", inPage: "docs/metrics.md").map {
            $0.enumerated().filter { $0.offset != 2 }.map(\.element)
        }
        let known = MetricName.allCases.map { ["`\($0.rawValue)`", $0.kind.rawValue, $0.help] }
        #expect(difference(listed, others: known) == [], "only in the page")
        #expect(difference(known, others: listed) == [], "only in the code")
        #expect(listed.count == known.count)
    }

    @Test func namesEveryExitCode() throws {
        let codes = try rows(under: "## Exit codes", inPage: "docs/run.md").map { $0.first }
        let known = [0, ExitCode.failure, ExitCode.usage, ExitCode.configuration].map { "\($0)" }
        #expect(codes.prefix(known.count).elementsEqual(known))
    }

    private func rows(under heading: String, inPage path: String) throws -> [[String]] {
        MarkdownTable.rows(under: heading, inPage: try #require(SourceTree.text(path)))
    }

    private func row(_ variable: EnvironmentReader.Variable) -> [String] {
        ["`\(variable.name)`", variable.defaultText.isEmpty ? "–" : "`\(variable.defaultText)`", variable.meaning]
    }

    private func difference(_ rows: [[String]], others: [[String]]) -> [String] {
        Set(rows.map { $0.joined(separator: " | ") }).subtracting(others.map { $0.joined(separator: " | ") }).sorted()
    }
}
