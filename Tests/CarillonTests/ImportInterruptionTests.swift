import Apps
import Bus
import CommandKit
import JSONKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import Carillon

/// Imports that are interrupted and run again.
@Suite(.timeLimit(.minutes(5))) struct ImportInterruptionTests {
    private static let subscribers = 0..<8
    private let log = Log(service: "test", level: .error)

    private func client(_ server: RedisServer) throws -> RedisClient {
        RedisClient(try RedisConfiguration(url: server.url), log: log, metrics: Metrics())
    }

    /// One process: its own caches, and a connection that can be cut. Not an outage, which would be waited out.
    private func pushdImport(
        _ app: AppID, from source: RedisClient, into client: RedisClient, isLogged: Bool, cutting scissors: Scissors
    ) async throws -> PushdImport {
        let connection = StoreConnection(
            client, beforeCommand: { scissors.isCut() ? StoreError(.corrupt, message: "killed") : nil })
        let direct = try await RedisRegistry.open(connection, mode: .authoritative, log: log)
        let target = ImportTarget(
            registry: isLogged ? direct.writing(through: direct) : direct,
            progress: RedisTakeoverProgress(connection), isLogged: isLogged, checkRoom: {})
        return PushdImport(
            PushdDatabase(client: source, address: "redis://pushd/0"), protocols: PushdProtocols(),
            into: PushApp(id: app), target: target, environment: TestEnvironment.real.forWorkers, page: 3)
    }

    /// Goal: whatever command of an import is its last, the next run completes it: nothing is lost, nothing is doubled,
    /// and the report counts each subscriber once. Method: an import of several pages is cut before its first command,
    /// before its second, and so on until it succeeds.
    @Test(arguments: [false, true]) func anImportCutAnywhereIsCompleted(_ isLogged: Bool) async throws {
        let pushd = try await PushdFixture()
        try await pushd.add(Self.subscribers)
        let server = try await RedisServer(.forStores)
        let (source, target) = (try client(pushd.server), try client(server))
        var hasCompleted = false
        for cut in 0..<1_000 {
            let app = try AppID("app-\(isLogged)-\(cut)")
            let scissors = Scissors()
            let first = try await pushdImport(app, from: source, into: target, isLogged: isLogged, cutting: scissors)
            scissors.cut(after: cut)
            do {
                _ = try await first.run(from: try await first.start()) { _ in }
                hasCompleted = true
            } catch let error as StoreError {
                #expect(error.code == .corrupt)
            }
            let second = try await pushdImport(
                app, from: source, into: target, isLogged: isLogged, cutting: Scissors())
            let start = try await second.start()
            let state = try await second.run(from: start) { _ in }
            #expect(state.isComplete)
            #expect(state.summary.subscribers == Self.subscribers.count)
            #expect(state.summary.takenOver == (hasCompleted ? 0 : Self.subscribers.count), "cut \(cut)")
            #expect(state.summary.registered == 0)
            #expect(state.summary.isComplete)
            let registry = try await RedisRegistry.open(StoreConnection(target), mode: .authoritative, log: log)
            try await registry.expect(Self.subscribers, in: app)
            if hasCompleted { break }
        }
        #expect(hasCompleted)
        await source.close()
        await target.close()
    }

    /// Goal: progress belongs to a source; another one is imported from its beginning.
    @Test func anotherSourceBeginsAnew() async throws {
        let pushd = try await PushdFixture()
        try await pushd.add(0..<10)
        let server = try await RedisServer(.forStores)
        let (source, target) = (try client(pushd.server), try client(server))
        let app = try AppID("news")
        var state = ImportState(source: "redis://other/0")
        state.last = Array("zzz".utf8)
        try await RedisTakeoverProgress(StoreConnection(target)).record(state.encoded, of: app)
        let whole = try await pushdImport(app, from: source, into: target, isLogged: false, cutting: Scissors())
        #expect(try await whole.run(from: try await whole.start()) { _ in }.summary.takenOver == 10)
        await source.close()
        await target.close()
    }

    /// Goal: a full store ends the import with a reason, and what it has taken over stays.
    @Test func withoutRoomNothingIsTakenOver() async throws {
        let pushd = try await PushdFixture()
        try await pushd.add(0..<5)
        let server = try await RedisServer(.forStores)
        let (source, target) = (try client(pushd.server), try client(server))
        let connection = StoreConnection(target)
        let registry = try await RedisRegistry.open(connection, mode: .authoritative, log: log)
        let whole = PushdImport(
            PushdDatabase(client: source, address: "redis://pushd/0"), protocols: PushdProtocols(),
            into: PushApp(id: try AppID("news")),
            target: ImportTarget(
                registry: registry, progress: RedisTakeoverProgress(connection), isLogged: false,
                checkRoom: { () throws(ImportError) in throw ImportError("no room") }),
            environment: TestEnvironment.real.forWorkers)
        await #expect(throws: ImportError("no room")) { try await whole.run(from: try await whole.start()) { _ in } }
        #expect(try await registry.size(of: .everyone, in: AppID("news")) == 0)
        await source.close()
        await target.close()
    }

    /// Goal: a device some of whose records did not reach the log gets the rest. Method: subscriptions are missing when
    /// an interrupted import continues.
    @Test func subscriptionsThatDidNotReachTheLogAreAdded() async throws {
        let pushd = try await PushdFixture()
        try await pushd.add(0..<10)
        let server = try await RedisServer(.forStores)
        let (source, target) = (try client(pushd.server), try client(server))
        let app = try AppID("news")
        let whole = try await pushdImport(app, from: source, into: target, isLogged: true, cutting: Scissors())
        _ = try await whole.run(from: try await whole.start()) { _ in }
        let connection = StoreConnection(target)
        let registry = try await RedisRegistry.open(connection, mode: .authoritative, log: log)
        let token = try PushToken(.fcm, text: SampleSubscriber(number: 3).token)
        let id = try #require(try await registry.device(of: token, in: app))
        #expect(try await registry.setSubscriptions(of: id, to: [:], in: app))
        let began = ImportState(source: "redis://pushd/0")
        try await RedisTakeoverProgress(connection).record(began.encoded, of: app)
        let again = try await pushdImport(app, from: source, into: target, isLogged: true, cutting: Scissors())
        #expect(try await again.run(from: try await again.start()) { _ in }.summary.takenOver == 10)
        try await registry.expect(0..<10, in: app)
        await source.close()
        await target.close()
    }

    /// Goal: an outage of pushd's Redis is waited out.
    @Test func anOutageOfTheSourceIsWaitedOut() async throws {
        let pushd = try await PushdFixture(isDurable: true)
        try await pushd.add(0..<10)
        let server = try await RedisServer(.forStores)
        let (source, target) = (try client(pushd.server), try client(server))
        let connection = StoreConnection(target)
        let registry = try await RedisRegistry.open(connection, mode: .authoritative, log: log)
        let environment = TestEnvironment.real
        let whole = PushdImport(
            PushdDatabase(client: source, address: "redis://pushd/0"), protocols: PushdProtocols(),
            into: PushApp(id: try AppID("news")),
            target: ImportTarget(
                registry: registry, progress: RedisTakeoverProgress(connection), isLogged: false, checkRoom: {}),
            environment: environment.forWorkers)
        await pushd.server.stop()
        async let state = whole.run(from: try await whole.start()) { _ in }
        try await waitUntil { environment.sink.lines.contains { $0.contains("store unavailable: retrying") } }
        try await pushd.server.restart()
        #expect(try await state.summary.takenOver == 10)
        try await registry.expect(0..<10, in: AppID("news"))
        await source.close()
        await target.close()
    }

    /// Goal: kill -9 of the whole process loses and doubles nothing. Method: the command is killed as soon as it has
    /// recorded some progress, several times; the last run goes to the end.
    @Test func aKilledProcessIsContinued() async throws {
        let pushd = try await PushdFixture()
        let subscribers = 0..<6_000
        try await pushd.add(subscribers)
        var options = RedisServer.Options.forStores
        options.isDurable = true
        let server = try await RedisServer(options)
        let apps = TemporaryDirectory("apps")
        apps.write("news.json", content: "{}")
        let app = try AppID("news")
        let client = try client(server)
        let progress = RedisTakeoverProgress(StoreConnection(client))
        func start() throws -> ChildProcess {
            try .service(
                "carillon",
                settings: [
                    "CARILLON_BUS": server.url, "CARILLON_APPS": apps.path, "CARILLON_IMPORT_REDIS": pushd.url,
                ], arguments: ["import", "pushd", "--app", "news", "--json"])
        }
        var last = 0
        for _ in 0..<3 {
            let process = try start()
            try await waitUntil {
                let state = try await progress.progress(of: app).flatMap { ImportState($0) }
                return (state?.summary.subscribers ?? 0) > last
            }
            process.signal(9)
            _ = await process.end()
            let state = try #require(try await progress.progress(of: app).flatMap { ImportState($0) })
            last = state.summary.subscribers
            if state.isComplete { break }
        }
        let process = try start()
        await process.line { _ in false }
        #expect(await process.end() == .exited(0), "\(process.lines)")
        let report = try JSON(try #require(process.lines.last { $0.hasPrefix("{") }))
        #expect(report.count("subscribers") == subscribers.count)
        #expect((report.count("taken_over") ?? 0) + (report.count("taken_before") ?? 0) == subscribers.count)
        let registry = try await RedisRegistry.open(StoreConnection(client), mode: .authoritative, log: log)
        try await registry.expect(subscribers, in: app)
        await client.close()
    }

    /// Goal: with Kafka, the devices are in the log: a Redis that lost everything is rebuilt with all of them. No other
    /// service runs, so that the command applies its own changes.
    @Test func withKafkaTheDevicesAreInTheLog() async throws {
        let pushd = try await PushdFixture()
        let subscribers = 0..<300
        try await pushd.add(subscribers)
        let kafka = try await KafkaMockServer(brokers: 1)
        for channel in Topics.all.flatMap(\.channels) { try await kafka.perform("create topic \(channel.name) 2") }
        let server = try await RedisServer(.forStores)
        let apps = TemporaryDirectory("apps")
        apps.write("news.json", content: "{}")
        let terminal = RecordedTerminal()
        let variables = [
            "CARILLON_BUS": kafka.url, "CARILLON_REDIS": server.url, "CARILLON_APPS": apps.path,
            "CARILLON_IMPORT_REDIS": pushd.url, "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10",
        ]
        let context = CommandContext(terminal: terminal, variables: variables)
        #expect(
            await CommandTree.carillon.run(["import", "pushd", "--app", "news"], in: context) == 0,
            "\(terminal.complaints)")
        #expect(terminal.printed.first == "taken over: 300 of 300 subscribers, with 450 subscriptions")
        let client = try client(server)
        let app = try AppID("news")
        let registry = try await RedisRegistry.open(StoreConnection(client), mode: .follower, log: log)
        try await registry.expect(subscribers, in: app)
        _ = try await client.send(RedisCommand("FLUSHALL"))
        #expect(await CommandTree.carillon.run(["rebuild"], in: context) == 0, "\(terminal.complaints)")
        let rebuilt = try await RedisRegistry.open(StoreConnection(client), mode: .follower, log: log)
        try await rebuilt.expect(subscribers, in: app)
        // Redis has lost the progress too: everything is read again, and nothing is doubled.
        #expect(await CommandTree.carillon.run(["import", "pushd", "--app", "news"], in: context) == 0)
        #expect(terminal.printed.contains("taken over by an earlier run: 300"))
        #expect(try await rebuilt.size(of: .everyone, in: app) == 300)
        await client.close()
    }
}
