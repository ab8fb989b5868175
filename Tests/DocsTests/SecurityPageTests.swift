import ProviderKit
import ServiceKit
import TestSupport
import Testing

@testable import APNsSender
@testable import AndroidSender
@testable import Apps
@testable import EventStream
@testable import IngestAPI
@testable import Reporter
@testable import WebSender

/// `docs/security.md` lists the secrets that each service reads; operators mount secrets accordingly.
@Suite struct SecurityPageTests {
    @Test func saysWhoReadsWhichSecret() throws {
        let page = try #require(SourceTree.text("docs/security.md"))
        var (api, apple, android) = (EnvironmentReader([:]), EnvironmentReader([:]), EnvironmentReader([:]))
        var (reports, stream, web) = (EnvironmentReader([:]), EnvironmentReader([:]), EnvironmentReader([:]))
        let readers = [
            "ingest-api": IngestConfiguration(environment: &api).apps.secrets,
            "apns-sender": APNsSenderConfiguration(environment: &apple).sender.apps.secrets,
            "android-sender": AndroidSenderConfiguration(environment: &android).sender.apps.secrets,
            "event-stream": EventStreamConfiguration(environment: &stream).apps.secrets,
            "reporter": ReporterConfiguration(environment: &reports).apps.secrets,
            "web-sender": WebSenderConfiguration(environment: &web).sender.apps.secrets,
        ]
        let known = readers.flatMap { service, secrets in secrets.map { "\($0) \(service)" } }
        let rows = MarkdownTable.rows(under: "## Who reads which secret", inPage: page).map {
            $0.map(MarkdownTable.plain)
        }
        let documented = rows.filter { $0[1] != "–" }.map { "\($0[1]) \($0[2])" }
        #expect(documented.sorted() == known.sorted())
        #expect(Set(readers.values.joined()) == Set(AppSecret.allCases), "each kind has a reader")
    }

    /// A process that does not read the pepper does not require it either.
    @Test func onlyTheAPIAsksForThePepper() {
        var (api, apple) = (EnvironmentReader([:]), EnvironmentReader([:]))
        _ = IngestConfiguration(environment: &api)
        _ = APNsSenderConfiguration(environment: &apple)
        #expect(api.variables.contains { $0.name == "CARILLON_PEPPER_FILE" })
        #expect(!apple.variables.contains { $0.name == "CARILLON_PEPPER_FILE" })
        #expect(apple.variables.contains { $0.name == "CARILLON_APPS" })
    }
}
