import JSONKit
import ServiceKit
import TestSupport
import Testing

/// A short run of the benchmark of single pushes: it ends only when every push is at its provider. The programs of the
/// build under test stand for those of an older one.
@Suite(.timeLimit(.minutes(5))) struct BenchSingleTests {
    @Test func everyPushArrives() async throws {
        let own = builtExecutable("carillon").dropLast("/carillon".count)
        let run = try await BenchRun([
            "single", "--json", "--devices", "100", "--pushes", "100", "--seconds", "1", "--before", String(own),
        ])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        let names = [
            "accepted.rate", "delivered.rate", "cpu_ms", "cpu_ms.redis", "cpu_ratio", "redis_calls", "redis_us",
            "aof_bytes", "half_load.p50", "high_load.p99", "memory_peak.reporter", "beside_broadcast.p99",
            "before.delivered.rate", "before.cpu_ms", "delivered_before_ratio", "cpu_before_ratio",
        ]
        for name in names { #expect(figures["single.\(name)"]?["value"]?.isPositive == true, "\(name)") }
    }

    @Test func aFolderThatDoesNotExistIsRefused() async throws {
        let run = try await BenchRun(["single", "--before", "/nonexistent"])
        #expect(run.ending == .exited(64))
        let problem = "--before /nonexistent: No such file or directory; name the folder of an older build"
        #expect(run.lines.first == "carillon bench: \(problem)")
    }

    @Test func theMissingProgramsOfAFolderAreNamed() async throws {
        let folder = TemporaryDirectory()
        for name in ["carillon", "provider-simulator", "ingest-api", "renderer", "apns-sender", "reporter"] {
            _ = try await folder.writeScript(name, "exit 1")
        }
        let run = try await BenchRun(["single", "--before", folder.path])
        #expect(run.ending == .exited(64))
        let problem =
            "--before \(folder.path): not in this folder: targeting-resolver, android-sender, scheduler; build the "
            + "older commit with `swift build -c release` and name its .build/release"
        #expect(run.lines.first == "carillon bench: \(problem)")
    }

    /// Minutes before it would be needed.
    @Test func anOlderBuildThatDoesNotStartIsRefusedAtOnce() async throws {
        let folder = TemporaryDirectory()
        for name in [
            "carillon", "provider-simulator", "ingest-api", "targeting-resolver", "renderer", "apns-sender",
            "android-sender", "reporter", "scheduler",
        ] {
            _ = try await folder.writeScript(name, "echo a library is missing; exit 1")
        }
        let run = try await BenchRun(["single", "--before", folder.path])
        #expect(run.ending == .exited(1))
        let problem = "--before \(folder.path): carillon up did not start: a library is missing"
        #expect(run.lines == ["carillon bench: \(problem)"])
    }
}
