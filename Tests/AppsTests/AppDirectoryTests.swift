import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Apps

/// A real folder, watched while its files come, change, break and go.
@Suite(.timeLimit(.minutes(2))) struct AppDirectoryTests {
    private let folder = TemporaryDirectory("apps")
    private let time = ManualTimeSource()
    private let sink = CollectingSink()
    private let metrics = Metrics()
    private let health: Health
    private let configuration: AppsConfiguration

    init() {
        health = Health(time: time)
        configuration = AppsConfiguration(folder: folder.path)
    }

    private func open() async -> AppDirectory {
        await AppDirectory.open(
            configuration, log: Log(service: "test", sink: sink, time: time), metrics: metrics, health: health,
            time: time)
    }

    /// Runs the directory's loop. `look` makes it look at the folder once, and returns when it has.
    private func withRunning(
        _ directory: AppDirectory, _ body: (_ look: () async throws -> Void) async throws -> Void
    ) async throws {
        async let run: Void = directory.run()
        try await body {
            try #require(await time.hasSleepers(1))
            time.advance(by: configuration.interval)
            try #require(await time.hasSleepers(1))
        }
        directory.stop()
        await run
    }

    private func editor() -> AppEditor {
        AppEditor(configuration, now: time.now)
    }

    private func messages() -> [String] {
        sink.lines.compactMap { line in
            line.split(separator: "\"message\":\"").last.map { String($0.prefix { $0 != "\"" }) }
        }
    }

    @Test func aKeyOpensItsApp() async throws {
        let key = try editor().add(try AppID("news"), scopes: [.register, .publish])
        let directory = await open()
        let access = directory.access(presented: key.reveal(), peer: "192.0.2.1")
        #expect(access.caller == .key(key.id))
        #expect(access.apps(with: .register).map(\.id.text) == ["news"])
        #expect(access.apps(with: .broadcast) == [])
        #expect(!sink.lines.contains { $0.contains(key.reveal()) || $0.contains("hmac") })
    }

    @Test func filesThatComeChangeAndGoAreSeen() async throws {
        let directory = await open()
        #expect(directory.current.apps.isEmpty)
        try await withRunning(directory) { look in
            let key = try editor().add(try AppID("news"))
            try await look()
            #expect(directory.access(presented: key.reveal(), peer: "").caller == .key(key.id))

            folder.write("news.json", #"{"allow":[{"range":"10.0.0.0/8","scopes":["read"]}]}"#)
            try await look()
            #expect(directory.access(presented: key.reveal(), peer: "10.1.1.1").caller == .wrongKey)
            #expect(directory.access(presented: nil, peer: "10.1.1.1").apps(with: .read).count == 1)

            try #require(unlinkFile(folder.file("news.json")))
            try await look()
            #expect(directory.access(presented: nil, peer: "10.1.1.1").caller == .nobody)
        }
        #expect(messages() == ["app added", "app changed", "app removed: its file is gone"])
    }

    @Test func aBrokenFileKeepsItsLastGoodVersion() async throws {
        folder.write("news.json", #"{"identifiers":{"richie":"news-app"}}"#)
        let directory = await open()
        try await withRunning(directory) { look in
            folder.write("news.json", "{\n  \"identifiers\": {\"richie\": 7},\n  \"limit\": {}\n}")
            try await look()
            try await look()
            #expect(directory.current.app(.richie, "news-app")?.id.text == "news")
            #expect(sink.lines.filter { $0.contains("identifiers.richie") }.count == 1, "said more than once")
            #expect(sink.lines.contains { $0.contains("news.json: limit: unknown name; did you mean limits?") })
            #expect(metrics.gauge(.appFilesBroken).value == 1)
            #expect(metrics.gauge(.appsLoaded).value == 1)
            #expect(health.remarks().count == 1)
            #expect(await health.obstacles() == [])

            folder.write("news.json", #"{"identifiers":{"richie":"other"}}"#)
            try await look()
            #expect(directory.current.app(.richie, "other")?.id.text == "news")
            #expect(health.remarks() == [])
            #expect(metrics.gauge(.appFilesBroken).value == 0)
            #expect(messages().last == "mended")
        }
    }
}
