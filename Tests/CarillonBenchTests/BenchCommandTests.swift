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

    /// Threads of the Swift runtime block signals; a program started by one of them could not be interrupted. Nor may
    /// the programs that it has started stay behind.
    @Test func canBeInterrupted() async throws {
        // Enough rounds for a test that starves while the first one runs.
        let process = try ChildProcess(
            builtExecutable("carillon"), arguments: ["bench", "ingest", "--requests", "100000", "--rounds", "10"],
            environment: EnvironmentReader.processEnvironment())
        try #require(await process.line(where: { $0.hasPrefix("round 1 of 10") }) != nil)
        // All signals are blocked for the moment in which a program starts another.
        let isUnblocked = try await waitUntil(within: .seconds(60)) {
            let lines = text(process.processID, "status").split(separator: "\n")
            return lines.contains("Name:\tcarillon-bench") && lines.contains("SigBlk:\t0000000000000000")
        }
        #expect(isUnblocked)
        var started: [pid_t] = []
        let haveStarted = try await waitUntil(within: .seconds(60)) {
            started = try await children(of: process.processID)
            return Set(started.map { text($0, "comm") }).isSuperset(of: ["redis-server\n", "ingest-api\n"])
        }
        try #require(haveStarted)
        process.signal(SIGINT)
        #expect(await process.end(within: .seconds(60)) == .signalled(SIGINT))
        // A process that has ended has no command line, also while no parent has taken notice of its end.
        #expect(try await waitUntil(within: .seconds(60)) { started.allSatisfy { text($0, "cmdline").isEmpty } })
    }

    private func children(of process: pid_t) async throws -> [pid_t] {
        let shell = try ChildProcess("sh", arguments: ["-c", "cat /proc/\(process)/task/*/children 2>/dev/null"])
        _ = await shell.end()
        return shell.lines.flatMap { $0.split(separator: " ") }.compactMap { pid_t($0) }
    }

    /// A file that the kernel provides about a process; empty if there is no such process.
    private func text(_ process: pid_t, _ name: String) -> String {
        String(decoding: SmallFile.read("/proc/\(process)/\(name)", bytesMaximum: 64 << 10) ?? [], as: UTF8.self)
    }
}
