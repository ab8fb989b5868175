import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// The environment that the programs of `carillon up` get from its shell.
@Suite(.timeLimit(.minutes(5))) struct ChildEnvironmentTests {
    private static let shell = [
        "PATH": "/usr/bin", "LC_ALL": "C", "ASAN_OPTIONS": "x", "AWS_SECRET_ACCESS_KEY": "s", "CARILLON_KEY": "s",
        "CARILLON_KEY_FILE": "s", "CARILLON_PEPPER_FILE": "s", "CARILLON_KAFKA_SASL_PASSWORD": "s",
        "CARILLON_LOG_LEVEL": "debug", "CARILLON_APNS_PORT": "1", "CARILLON_RENDRER_CACHE": "1",
        "LIBDISPATCH_LOG": "NO",
    ]
    private let environment = ChildEnvironment(shell)

    @Test func aProgramOfOthersGetsNoneOfOurSettings() {
        #expect(Set(environment.foreign.keys) == ["PATH", "LC_ALL", "ASAN_OPTIONS", "LIBDISPATCH_LOG"])
    }

    /// A misspelled variable is passed on so that it is reported: no program reads its family.
    @Test(arguments: PipelineService.all)
    func aServiceGetsWhatItReads(_ service: PipelineService) {
        var expected: Set = [
            "PATH", "LC_ALL", "ASAN_OPTIONS", "LIBDISPATCH_LOG", "CARILLON_LOG_LEVEL", "CARILLON_RENDRER_CACHE",
        ]
        if service.name == "apns-sender" { expected.insert("CARILLON_APNS_PORT") }
        if ["ingest-api", "event-stream"].contains(service.name) { expected.insert("CARILLON_PEPPER_FILE") }
        #expect(Set(environment.own(of: service.families).keys) == expected)
    }

    /// Goal: a new setting of a service is passed on to it. Method: every variable of its own `--help`.
    @Test(arguments: PipelineService.all)
    func everySettingOfAServiceReachesIt(_ service: PipelineService) async throws {
        let help = try ChildProcess.service(service.name, settings: [:], arguments: ["--help"])
        #expect(await help.end() == .exited(0))
        let names = help.lines.filter { $0.hasPrefix("  CARILLON_") }.map { String($0.dropFirst(2)) }
            .filter { !$0.hasPrefix("CARILLON_KAFKA_") }
        #expect(names.count > 20, "\(help.lines)")
        let given = ChildEnvironment(Dictionary(uniqueKeysWithValues: names.map { ($0, "1") }))
        #expect(Set(names).subtracting(given.own(of: service.families).keys) == [])
    }
}
