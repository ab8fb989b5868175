import Glibc
import ServiceKit
import TestSupport
import Testing

/// `carillon bench` replaces itself with `carillon-bench`.
@Suite(.timeLimit(.minutes(5))) struct BenchCommandTests {
    private func run(_ words: String...) async throws -> (ending: ChildProcess.Ending?, lines: [String]) {
        let process = try ChildProcess(
            builtExecutable("carillon"), arguments: words, environment: EnvironmentReader.processEnvironment())
        let ending = await process.end()
        return (ending, process.lines)
    }

    @Test(arguments: [["bench", "--help"], ["help", "bench"]])
    func theHelpListsTheBenchmarks(_ words: [String]) async throws {
        let (ending, lines) = try await run(words[0], words[1])
        #expect(ending == .exited(0))
        let names = [
            "pipeline", "outage", "schedule", "activities", "hostile", "ingest", "http", "send", "registry", "bus",
        ]
        for name in names {
            #expect(lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)")
        }
    }

    @Test func theHelpOfABenchmarkShowsWhatToType() async throws {
        let (ending, lines) = try await run("help", "bench", "bus")
        #expect(ending == .exited(0))
        #expect(lines.contains("Usage: carillon bench bus [OPTIONS]"))
    }

    @Test func theExitCodeIsThatOfTheBenchmark() async throws {
        let (ending, lines) = try await run("bench", "bsu")
        #expect(ending == .exited(64))
        #expect(lines.first == "carillon bench: unknown command \"bsu\"; did you mean bus?")
    }

    /// Threads of the Swift runtime block signals; a program started by one of them could not be interrupted.
    @Test func noSignalIsBlocked() async throws {
        // Enough rounds for a test that starves while the first one runs.
        let process = try ChildProcess(
            builtExecutable("carillon"), arguments: ["bench", "ingest", "--requests", "1000", "--rounds", "10"],
            environment: EnvironmentReader.processEnvironment())
        try #require(await process.line(where: { $0.hasPrefix("round 1 of 10") }) != nil)
        // All signals are blocked for the moment in which a program starts another.
        let isUnblocked = try await waitUntil(within: .seconds(60)) {
            let status = SmallFile.read("/proc/\(process.processID)/status", bytesMaximum: 64 << 10) ?? []
            let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
            return lines.contains("Name:\tcarillon-bench") && lines.contains("SigBlk:\t0000000000000000")
        }
        #expect(isUnblocked)
        #expect(await process.end(within: .seconds(150)) == .exited(0))
    }
}
