import Bus
import JSONKit
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import IngestAPI

@Suite struct LiveTests {
    private static let task = #"{"audience":{"topic":"a"},"message":{"title":"T","body":"x"}}"#

    private func post(to fixture: IngestFixture) async throws -> String {
        try #require(await fixture.json("POST", "/v1/tasks", json: Self.task, as: .owner).json["id"]?.text)
    }

    private func follow(
        _ fixture: IngestFixture, path: String = "/v1/live", as key: IngestFixture.Key = .owner
    ) async -> LiveClient {
        await LiveClient(fixture, path: path, headers: ["Authorization": fixture.authorization(key)])
    }

    @Test func aStreamShowsTheAppAsItIsAndAsItChanges() async throws {
        try await IngestFixture.run { fixture in
            let first = try await post(to: fixture)
            var client = await follow(fixture)
            let opened = try #require(await client.next("app"))
            #expect(opened["tasks"]?.elements?.map { $0["id"]?.text } == [first])
            #expect(opened["providers"]?.elements?.isEmpty == true && opened["stages"]?.elements?.isEmpty == true)
            #expect(opened["store"]?["is_full"] == .bool(false))
            let second = try await post(to: fixture)
            await fixture.live.refresh()
            let changed = try #require(await client.next("app"))
            #expect(changed["tasks"]?.elements?.map { $0["id"]?.text } == [second, first])
        }
    }

    /// Goal: what has not changed is not sent again.
    @Test func nothingIsSentTwice() async throws {
        try await IngestFixture.run { fixture in
            var client = await follow(fixture)
            _ = await client.next("app")
            for _ in 0..<3 { await fixture.live.refresh() }
            let id = try await post(to: fixture)
            await fixture.live.refresh()
            #expect(await client.next("app")?["tasks"]?.elements?.first?["id"]?.text == id)
        }
    }

    @Test func aTaskIsFollowedUntilItIsCancelled() async throws {
        try await IngestFixture.run { fixture in
            let id = try await post(to: fixture)
            var client = await follow(fixture, path: "/v1/live?task=\(id)")
            #expect(await client.next("task")?["cancelled"] == .bool(false))
            #expect(await fixture.json("POST", "/v1/tasks/\(id)/cancel", as: .owner).status == 202)
            await fixture.live.refresh()
            #expect(await client.next("task")?["cancelled"] == .bool(true))
        }
    }

    @Test func anOutageIsShownToItsApp() async throws {
        try await IngestFixture.run { fixture in
            let route = ProviderRoute(app: fixture.news, provider: .apns)
            _ = fixture.outages.extend(route, by: OutagePauses(), jitter: 0, isProbe: false)
            var news = await follow(fixture)
            let providers = try #require(await news.next("app")?["providers"]?.elements)
            #expect(providers.map { $0["provider"]?.text } == ["apns"])
            var shop = await follow(fixture, as: .shop)
            #expect(await shop.next("app")?["providers"]?.elements?.isEmpty == true)
        }
    }

    /// Goal: an app sees the servers that its own pushes wait for, with the time at most; no other app sees them.
    @Test func failingServersAreShownToTheirApp() async throws {
        try await IngestFixture.run { fixture in
            fixture.failingServers.note(
                ["push.example.com:443": .milliseconds(11_200), "a.example:8443": .seconds(300)], of: fixture.news)
            var news = await follow(fixture)
            let opened = try #require(await news.next("app")?["servers"]?.elements)
            #expect(opened.map { $0["server"]?.text } == ["a.example:8443", "push.example.com:443"])
            #expect(opened.map { $0["seconds"] } == [.integer(300), .integer(12)])
            #expect(opened.allSatisfy { $0["state"]?.text == "failing" })
            var shop = await follow(fixture, as: .shop)
            #expect(await shop.next("app")?["servers"]?.elements?.isEmpty == true)
            // Its pause is over: a push tries it.
            fixture.time.advance(by: .seconds(12))
            await fixture.live.refresh()
            let tried = try #require(await news.next("app")?["servers"]?.elements)
            #expect(tried.map { $0["seconds"] } == [.integer(288), .integer(0)])
            fixture.failingServers.remove(["push.example.com:443", "a.example:8443"], of: fixture.news)
            fixture.time.advance(by: .seconds(2))
            await fixture.live.refresh()
            #expect(await news.next("app")?["servers"]?.elements?.isEmpty == true)
        }
    }

    /// Goal: each stage says what waits and what was handled. Method: of two messages for the renderer one is handled.
    @Test func stagesAreShownWithWhatTheyHandled() async throws {
        try await IngestFixture.run { fixture in
            let channel = Topics.audience.channel(.fast)
            try await fixture.sendToTopics(
                (0..<2).map { OutgoingMessage(channel: channel, key: Array("\($0)".utf8), value: [1]) })
            let consumer = try await fixture.topicBus.makeConsumer(
                ConsumerOptions(channel: channel, group: "renderer", batchMessagesMaximum: 1))
            let delivery = try #require(await consumer.next())
            consumer.complete(delivery)
            await consumer.close()
            var client = await follow(fixture)
            let stages = try #require(await client.next("app")?["stages"]?.elements)
            let stage = try #require(stages.first { $0["topic"]?.text == channel.name })
            #expect(stage["group"]?.text == "renderer")
            #expect(stage["waiting"] == .integer(1) && stage["handled"] == .integer(1))
        }
    }

    /// Goal: a stream shows no other app's tasks, and needs the scope.
    @Test func rightsComeFirst() async throws {
        try await IngestFixture.run { fixture in
            let id = try await post(to: fixture)
            #expect(await fixture.json("GET", "/v1/live", as: .poster).status == 403)
            #expect(await fixture.json("GET", "/v1/live?task=\(id)", as: .shop).status == 404)
            #expect(await fixture.json("GET", "/v1/live?task=x", as: .owner).status == 404)
            var client = await follow(fixture, as: .shop)
            #expect(await client.next("app")?["tasks"]?.elements?.isEmpty == true)
        }
    }

    /// Goal: a stream ends at once with its key, and says why.
    @Test func aStreamEndsWithItsKey() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            var byKey = await follow(fixture)
            let browser = try await ConsoleBrowser(fixture)
            var bySession = await LiveClient(fixture, headers: ["Cookie": browser.cookie])
            _ = await byKey.next("app")
            _ = await bySession.next("app")
            fixture.currentApps.withLock { $0 = AppSnapshot([], pepper: nil) }
            await fixture.live.refresh()
            #expect(await byKey.next("end")?["reason"]?.text == "revoked")
            #expect(await bySession.next("end")?["reason"]?.text == "revoked")
            #expect(await byKey.next() == nil)
        }
    }

    @Test func aStreamEndsWithItsSession() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let browser = try await ConsoleBrowser(fixture)
            var client = await LiveClient(fixture, headers: ["Cookie": browser.cookie])
            _ = await client.next("app")
            fixture.time.advance(by: ConsoleSession.life)
            for _ in 0..<10 { await fixture.live.refresh() }
            #expect(await client.next("end")?["reason"]?.text == "revoked")
        }
    }

    /// Goal: a stop does not wait for clients, and none keeps a stream that shows nothing any more.
    @Test func aStopEndsEveryStream() async throws {
        try await IngestFixture.run { fixture in
            var client = await follow(fixture)
            _ = await client.next("app")
            try await withRunning(fixture.live) {}
            #expect(await client.next("end")?["reason"]?.text == "draining")
            #expect(await fixture.json("GET", "/v1/live", as: .owner).status == 503)
        }
    }

    /// Goal: a client that reads nothing costs a bounded buffer, and its stream is ended.
    @Test func aClientThatReadsNothingIsLeft() async throws {
        try await IngestFixture.run { fixture in
            let client = await follow(fixture)
            let open = fixture.metrics.gauge(.ingestLiveStreams)
            try await waitUntil { open.value == 1 }
            for _ in 0..<5_000 where open.value > 0 {
                _ = try await post(to: fixture)
                fixture.time.advance(by: .seconds(1))
                await fixture.live.refresh()
            }
            #expect(open.value == 0)
            withExtendedLifetime(client) {}
        }
    }
}
