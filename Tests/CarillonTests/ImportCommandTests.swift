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

/// `carillon import pushd`, from a Redis that is filled as pushd fills it into one of Carillon's.
@Suite(.timeLimit(.minutes(5))) struct ImportCommandTests {
    private let pushd: PushdFixture
    private let target: RedisServer
    private let apps = TemporaryDirectory("apps")
    private let terminal = RecordedTerminal()
    private let app: AppID

    init() async throws {
        pushd = try await PushdFixture()
        target = try await RedisServer(.forStores)
        app = try AppID("news")
        apps.write("news.json", content: "{}")
    }

    private var variables: [String: String] {
        ["CARILLON_BUS": target.url, "CARILLON_APPS": apps.path, "CARILLON_IMPORT_REDIS": pushd.url]
    }

    private func run(_ words: String..., variables others: [String: String] = [:]) async -> Int32 {
        let context = CommandContext(terminal: terminal, variables: variables.merging(others) { $1 })
        return await CommandTree.carillon.run(["import", "pushd"] + words, in: context)
    }

    /// Runs with `--json` and returns the report.
    private func report(_ words: String..., code: Int32 = 0) async throws -> JSON {
        let context = CommandContext(terminal: terminal, variables: variables)
        let found = await CommandTree.carillon.run(["import", "pushd", "--app", "news", "--json"] + words, in: context)
        #expect(found == code, "\(terminal.complaints)")
        return try JSON(try #require(terminal.printed.last, "\(terminal.complaints)"))
    }

    private func withRegistry<Result: Sendable>(
        _ body: (RedisRegistry) async throws -> Result
    ) async throws -> Result {
        let client = RedisClient(
            try RedisConfiguration(url: target.url), log: Log(service: "test", level: .error), metrics: Metrics())
        let registry = try await RedisRegistry.open(
            StoreConnection(client), mode: .authoritative, log: Log(service: "test", level: .error))
        let result = try await body(registry)
        await client.close()
        return result
    }

    @Test func everySubscriberIsTakenOver() async throws {
        try await pushd.add(0..<600)
        try await pushd.command("HSET", "event:user.newVideo:3", "total", "154", "last", "1400000000")
        let before = try await pushd.changes()
        #expect(await run("--app", "news") == 0, "\(terminal.complaints)")
        #expect(terminal.printed.first == "taken over: 600 of 600 subscribers, with 900 subscriptions")
        #expect(terminal.printed.contains("  apns: 150"))
        #expect(terminal.printed.contains("  fcm: 450"))
        #expect(terminal.complaints.contains { $0.hasPrefix("warning: news has no credentials for apns") })
        #expect(try await pushd.changes() == before, "nothing is written to pushd's Redis")
        try await withRegistry { registry in
            try await registry.expect(0..<600, in: app)
            let figures = try #require(try await registry.figures(of: TopicName("user.newVideo:3"), in: app))
            #expect(figures.count.publications == 154)
            #expect(figures.count.created == Timestamp(milliseconds: 1_332_953_375_000))
            #expect(figures.count.last == Timestamp(milliseconds: 1_400_000_000_000))
        }
    }

    /// Windows devices and HTTP addresses keep their address; a browser cannot be taken over without its keys.
    @Test func devicesWithAnAddressAreTakenOver() async throws {
        let addresses = [
            "wns": "https://db5.notify.windows.com/?token=AwYAAABo%2bA", "mpns": "http://s.notify.live.net/u/1/db3/H2Q",
            "http": "http://news.example/hook?id=7", "webpush": "https://push.example/send/1",
        ]
        for (proto, address) in addresses {
            let fields = ["proto": proto, "token": address, "created": "1332953375", "updated": "1332953376"]
            try await pushd.add("of-\(proto)", fields: fields, events: ["news": 0])
        }
        let report = try await report(code: 2)
        #expect(report.count("taken_over") == 3)
        #expect(report["left_out"]?["missing_keys"]?.count("count") == 1)
        try await withRegistry { registry in
            for kind in [PushProtocol.wns, .mpns, .http] {
                let token = try PushToken(kind, text: try #require(addresses[kind.name]))
                let id = try #require(try await registry.device(of: token, in: app), "\(kind.name)")
                #expect(try await registry.device(id, in: app)?.device.created == 1_332_953_375)
                #expect(try await registry.subscriptions(of: id, in: app) == [TopicName("news"): []])
            }
        }
    }

    @Test func aDryRunWritesNothing() async throws {
        try await pushd.add(0..<20)
        try await pushd.add("broken", fields: ["proto": "apns", "token": "zz", "updated": "1"])
        let report = try await report("--dry-run", code: 2)
        #expect(report["dry_run"] == .bool(true))
        #expect(report.count("taken_over") == 20)
        #expect(report["left_out"]?["invalid_token"]?.count("count") == 1)
        let client = RedisClient(
            try RedisConfiguration(url: target.url), log: Log(service: "test", level: .error), metrics: Metrics())
        #expect(try await client.send(RedisCommand("DBSIZE")) == .integer(0))
        await client.close()
    }

    /// Goal: a second run takes over only what is new, and nothing that has changed in Carillon is overwritten.
    @Test func aSecondRunChangesNothing() async throws {
        try await pushd.add(0..<40)
        #expect(try await report().count("taken_over") == 40)
        let changed = try PushToken(.fcm, text: SampleSubscriber(number: 3).token)
        try await withRegistry { registry in
            let id = try #require(try await registry.device(of: changed, in: app))
            #expect(try await registry.change(id, changes: DeviceChanges(language: "de", badge: 1), in: app))
            #expect(try await registry.setSubscriptions(of: id, to: [:], in: app))
        }
        try await pushd.add(40..<50)
        let second = try await report()
        #expect(second.count("subscribers") == 50)
        #expect(second.count("taken_over") == 10)
        #expect(second.count("taken_before") == 39)
        #expect(second.count("registered") == 1)
        try await withRegistry { registry in
            #expect(try await registry.size(of: .everyone, in: app) == 50)
            let id = try #require(try await registry.device(of: changed, in: app))
            #expect(try await registry.device(id, in: app)?.device.language == "de")
            #expect(try await registry.subscriptions(of: id, in: app) == [:])
        }
    }

    /// pushd leaves a second subscriber behind when two clients register a token at once, and knows a device under both
    /// of Google's names.
    @Test func ofTwoSubscribersWithOneTokenOneIsTakenOver() async throws {
        let token = String(repeating: "ab", count: 32)
        let times = ["created": "5", "updated": "6"]
        try await pushd.add("a-old", fields: ["proto": "c2dm", "token": token].merging(times) { $1 }, events: ["x": 0])
        try await pushd.add("b-new", fields: ["proto": "gcm", "token": token].merging(times) { $1 }, events: ["y": 0])
        try await pushd.add("c-first", fields: ["proto": "apns", "token": token].merging(times) { $1 })
        try await pushd.add("d-left", fields: ["proto": "apns", "token": token].merging(times) { $1 })
        let report = try await report(code: 2)
        #expect(report.count("taken_over") == 2)
        let omitted = try #require(report["left_out"]?["duplicate_token"])
        #expect(omitted.count("count") == 2)
        let samples = omitted["samples"]?.elements?.compactMap(\.text) ?? []
        #expect(samples.sorted() == ["a-old: b-new has its token", "d-left: c-first has its token"])
        try await withRegistry { registry in
            let id = try #require(try await registry.device(of: PushToken(.fcm, text: token), in: app))
            #expect(try await registry.subscriptions(of: id, in: app) == [TopicName("y"): []])
        }
    }

    @Test func theMaximumOfDevicesHolds() async throws {
        apps.write("news.json", content: #"{"limits": {"devices": 25}}"#)
        try await pushd.add(0..<40)
        let report = try await report(code: 2)
        #expect(report.count("taken_over") == 25)
        #expect(report["left_out"]?["device_limit"]?.count("count") == 15)
        #expect(try await withRegistry { try await $0.size(of: .everyone, in: app) } == 25)
        // Raised, the rest follows.
        apps.write("news.json", content: #"{"limits": {"devices": 40}}"#)
        let second = try await self.report()
        #expect(second.count("taken_over") == 15)
        #expect(second.count("taken_before") == 25)
        try await withRegistry { try await $0.expect(0..<40, in: app) }
    }

    @Test func aSubscriberWithMoreEventsThanADeviceKeepsTheFirst() async throws {
        var events: [String: Int] = [:]
        for number in 0..<1_003 { events["event-\(1_000 + number)"] = 0 }
        try await pushd.add("many", fields: SampleSubscriber(number: 0).fields, events: events)
        let report = try await report(code: 2)
        #expect(report.count("taken_over") == 1)
        #expect(report.count("subscriptions") == 1_000)
        #expect(report["left_out"]?["too_many_subscriptions"]?.count("count") == 3)
    }

    @Test func anotherDatabaseIsNamed() async throws {
        #expect(await run("--app", "news") == 1)
        #expect(
            terminal.complaints.last
                == "carillon: redis://127.0.0.1:\(pushd.server.port)/0 has no subscribers of pushd; "
                + "check the number of the database in the URL")
        try await pushd.command("ZADD", "subscribers", "1", "a")
        #expect(await run("--app", "news") == 1)
        #expect(terminal.complaints.last?.hasSuffix("is not pushd's: scores of `subscribers` differ from 0") == true)
        try await pushd.command("SET", "subscribers", "text")
        #expect(await run("--app", "news", "--redis", "redis://127.0.0.1:\(pushd.server.port)/0") == 1)
        #expect(terminal.complaints.last?.contains("WRONGTYPE") == true)
    }

    @Test func aSourceThatIsAwayIsNamed() async throws {
        let url = "redis://127.0.0.1:\(FreePort.next())"
        #expect(await run("--app", "news", "--redis", url) == 1)
        #expect(terminal.complaints.last?.contains(url) == true)
    }

    @Test func thePasswordComesFromTheEnvironment() async throws {
        try await pushd.add(0..<3)
        try await pushd.command("CONFIG", "SET", "requirepass", "s3cret")
        #expect(await run("--app", "news") == 1)
        #expect(await run("--app", "news", variables: ["CARILLON_IMPORT_REDIS_PASSWORD": "s3cret"]) == 0)
        #expect((terminal.printed + terminal.complaints).allSatisfy { !$0.contains("s3cret") })
    }

    @Test func anUnknownAppIsNamed() async {
        #expect(await run("--app", "sport") == 1)
        #expect(terminal.complaints.last?.contains("no valid app sport in \(apps.path)") == true)
    }

    @Test(arguments: [
        ([], "carillon: --app NAME is required"),
        (["--app", "no spaces"], "carillon: --app no spaces: "),
        (["--app", "news", "--protocol", "apns"], "carillon: --protocol apns: expected NAME=PROTOCOL"),
        (["--app", "news", "--protocol", "x=y"], "carillon: --protocol x=y: expected NAME=PROTOCOL"),
        (["--app", "news", "--protocol", "x=fcm/sandbox"], "carillon: --protocol x=fcm/sandbox: only apns has"),
        (["--app", "news", "--redis", "http://host"], "carillon: --redis: unknown scheme"),
    ])
    func mistakesExitWith64(_ words: [String], complaint: String) async {
        let context = CommandContext(terminal: terminal, variables: variables)
        #expect(await CommandTree.carillon.run(["import", "pushd"] + words, in: context) == 64)
        #expect(terminal.complaints.last?.hasPrefix(complaint) == true, "\(terminal.complaints)")
        #expect(terminal.printed.isEmpty)
    }

    @Test func withoutASourceThereIsNothingToImport() async {
        let context = CommandContext(terminal: terminal, variables: ["CARILLON_APPS": apps.path])
        #expect(await CommandTree.carillon.run(["import", "pushd", "--app", "news"], in: context) == 64)
        #expect(terminal.complaints.last?.contains("CARILLON_IMPORT_REDIS is required") == true)
    }
}
