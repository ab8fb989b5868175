import Bus
import ServiceHost
import ServiceKit
import TestSupport
import Testing

@Suite struct CommandLineTests {
    /// Goal: `--help` lists every setting of a service. Method: compare its output with the variables that the
    /// configuration reads.
    @Test func helpListsEveryVariable() async throws {
        let process = try ProbeService.spawn(
            ["--help"], settings: ["CARILLON_LOG_LEVEL": "nonsense does not matter here"])
        #expect(await process.end() == .exited(0))
        var reader = EnvironmentReader([:])
        _ = HostConfiguration(environment: &reader)
        _ = WorkerOptions(environment: &reader)
        let lines = process.lines
        for variable in reader.variables {
            let index = try #require(lines.firstIndex(of: "  \(variable.name)"), "\(variable.name) is missing")
            try #require(lines.count > index + 2)
            #expect(!variable.meaning.isEmpty && lines[index + 1] == "      \(variable.meaning)")
            let text = variable.defaultText.isEmpty ? "none" : variable.defaultText
            #expect(lines[index + 2] == "      Default: \(text)")
        }
        #expect(lines.filter { $0.hasPrefix("  PROBE_") } == ["  PROBE_TOPIC", "  PROBE_PARTITIONS", "  PROBE_GROUP"])
        let names = lines.filter { $0.wholeMatch(of: /\ \ [A-Z0-9_]+/) != nil }
        #expect(names.count == reader.variables.count + 3)
    }

    @Test func versionIsOneLine() async throws {
        let process = try ProbeService.spawn(["--version"])
        #expect(await process.end() == .exited(0))
        #expect(process.lines == ["bus-probe \(CarillonVersion.current)"])
    }

    @Test(arguments: [["--verbose"], ["start"], ["--help=1"], [""], ["redis://user:hunter2@127.0.0.1"]])
    func anUnknownArgumentIsRefused(arguments: [String]) async throws {
        let process = try ProbeService.spawn(arguments)
        #expect(await process.end() == .exited(64))
        #expect(process.lines.count == 1)
        #expect(process.lines.first?.contains("--help") == true)
        #expect(process.lines.first?.contains("hunter2") == false)
    }

    /// Goal: one attempt to start reports every invalid variable, and does nothing else.
    @Test func everyWrongVariableIsNamedWithItsFix() async throws {
        let process = try ProbeService.spawn(
            [],
            settings: [
                "CARILLON_LOG_LEVEL": "loud", "CARILLON_DRAIN_DEADLINE": "soon", "CARILLON_WORKER_CONCURRENCY": "0",
                "CARILLON_ADMIN_PORT": "70000", "CARILLON_BUS": "rabbit://127.0.0.1", "CARILLON_BUS_LEASE": "1s",
                "PROBE_PARTITIONS": "many",
            ])
        #expect(await process.end() == .exited(78))
        let expected = [
            ("CARILLON_LOG_LEVEL", "set it to debug, info, warning, error"),
            ("CARILLON_DRAIN_DEADLINE", "set it to a duration from 0s to 1h"),
            ("CARILLON_WORKER_CONCURRENCY", "set it to an integer from 1 to 1024"),
            ("CARILLON_ADMIN_PORT", "set it to an integer from 0 to 65535"),
            ("CARILLON_BUS", "set it to redis://HOST:PORT or kafka://HOST:PORT"),
            ("CARILLON_BUS_HEARTBEAT", "set it to a third or less"),
            ("PROBE_PARTITIONS", "set it to an integer from 1 to 64"),
        ]
        for (variable, fix) in expected {
            let line = process.lines.first { $0.hasPrefix("\(variable): ") }
            #expect(line?.contains(fix) == true, "\(variable): \(process.lines)")
        }
        #expect(process.lines.count == expected.count + 1)
        #expect(process.lines.first == "bus-probe cannot start:")
    }
}
