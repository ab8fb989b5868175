import JSONKit
import ServiceKit
import TestSupport
import Testing

/// A small run of the sender benchmark: its figures are meaningless here, but all must be present.
@Suite(.timeLimit(.minutes(10))) struct BenchSendTests {
    /// With pywebpush, which `make deps` installs.
    @Test(.enabled(if: SourceTree.hasExecutable(".venv/bin/vapid"))) func everyFigureIsPrinted() async throws {
        let run = try await BenchRun([
            "send", "--json", "--requests", "1000", "--rounds", "1", "--services", "20", "--python",
            SourceTree.path(".venv/bin/python"),
        ])
        #expect(run.ending == .exited(0), "\(run.lines)")
        let figures = try run.figures()
        #expect(Set(figures.keys) == expectedNames)
        for (name, figure) in figures {
            #expect(figure["value"]?.isPositive == true, "\(name)")
            let comparesWithBareTool = name.contains(".client") && !name.contains("simulator")
            #expect((figure["ratio"] != nil) == comparesWithBareTool, "\(name)")
        }
    }

    private var expectedNames: Set<String> {
        let shapes = ["1x100", "1x500", "1x1000", "4x100", "4x500", "4x1000"]
        let variants = shapes.dropLast().map { ".\($0)" } + shapes.map { ".\($0).20ms" } + [""]
        let clients = variants.map { "send.apns.client\($0)" } + ["send.fcm.client"]
        return Set(clients.flatMap { ["\($0).rate", "\($0).cpu_per_100k"] }).union([
            "send.apns.client.simulator_cpu_per_100k", "send.fcm.client.simulator_cpu_per_100k",
            "send.apns.service.rate", "send.apns.service.cpu_per_100k", "send.apns.rss",
            "send.webpush.service.rate", "send.webpush.service.cpu_per_100k", "send.webpush.pywebpush.rate",
            "send.webpush.pywebpush.ratio", "send.webpush.dead_origins.ratio",
        ])
    }

    @Test func withoutPywebpushItSaysHowToGetIt() async throws {
        let run = try await BenchRun(["send", "--python", "/bin/false"])
        #expect(run.ending == .exited(1))
        let problem = "/bin/false has no pywebpush: run `make deps`, or name an interpreter by --python"
        #expect(run.lines == ["carillon bench: \(problem)"])
    }

    @Test func withoutH2LoadItSaysHowToGetIt() async throws {
        let run = try await BenchRun(["send"], variables: ["PATH": "/nonexistent"])
        #expect(run.ending == .exited(1))
        #expect(run.lines == ["carillon bench: h2load is not installed: apt-get install nghttp2-client"])
    }
}
