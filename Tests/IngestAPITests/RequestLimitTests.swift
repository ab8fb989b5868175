import Apps
import JSONKit
import PushModel
import TestSupport
import Testing

@testable import ingest_api

/// Requests over a limit are answered 429 with a `Retry-After`.
@Suite struct RequestLimitTests {
    private static func limits(_ requestsPerSecond: Int) -> AppLimits {
        var limits = AppLimits()
        limits.requestsPerSecond = requestsPerSecond
        return limits
    }

    @Test func anAppsLimitHoldsForEachOfItsKeys() async throws {
        try await IngestFixture.run(limits: Self.limits(2)) { fixture in
            let unknown = "/v1/tasks/\(TaskID(high: 1, low: 1))"
            for _ in 0..<2 { #expect(await fixture.json("GET", unknown, as: .publisher).status == 404) }
            let refused = await fixture.json("GET", unknown, as: .publisher)
            #expect(refused.status == 429)
            #expect(refused.headers["retry-after"] == "1")
            #expect(refused.headers["content-type"] == "application/problem+json")
            let richie = await fixture.json(
                "POST", RichieTests.path, json: #"{"app_id":"example-news"}"#, as: .publisher)
            #expect(richie.status == 429)
            #expect(await fixture.json("GET", unknown, as: .owner).status == 404, "another key has its own limit")
            #expect(await fixture.json("GET", unknown, as: .shop).status == 404, "another app has no limit")
            fixture.time.advance(by: .milliseconds(500))
            #expect(await fixture.json("GET", unknown, as: .publisher).status == 404)
            #expect(await fixture.json("GET", unknown, as: .publisher).status == 429)
        }
    }

    @Test func pushdsClientsGetPushdsErrors() async throws {
        try await IngestFixture.run(limits: Self.limits(1)) { fixture in
            #expect(await fixture.form("GET", "/subscriber/x").status == 404)
            let refused = await fixture.form("GET", "/subscriber/x")
            #expect(refused.status == 429)
            #expect(refused.error == "Too many requests")
            #expect(refused.headers["retry-after"] == "1")
        }
    }

    /// A request counts even with an invalid key: guessing keys is limited too.
    @Test func anAddressMayHaveALimit() async throws {
        var settings = RequestLimits.Settings()
        settings.requestsPerSecondPerAddress = 2
        try await IngestFixture.run(settings: settings) { fixture in
            let wrong = ["Authorization": "Bearer wrong"]
            for _ in 0..<2 { #expect(await fixture.form("GET", "/subscriber/x", headers: wrong).status == 401) }
            #expect(await fixture.form("GET", "/subscriber/x", headers: wrong).status == 429)
            #expect(await fixture.json("GET", "/v1/tasks", as: .publisher).status == 429)
            fixture.time.advance(by: .seconds(1))
            #expect(await fixture.json("GET", "/v1/tasks", as: .publisher).status == 200)
        }
    }

    /// Goal: ids cannot be found by guessing. Method: wrong ids until they are refused; then a valid id is refused too,
    /// registering is not, and after a pause everything works again.
    @Test func guessingIdsIsRefusedAfterAWhile() async throws {
        var settings = RequestLimits.Settings()
        settings.unknownDevicesPerSecondPerAddress = 2
        try await IngestFixture.run(settings: settings) { fixture in
            let id = try await fixture.subscriber()
            let known = try #require(DeviceID(id))
            for tag in 1...20 {
                let guess = DeviceID(index: known.index, tag: known.tag &+ UInt32(tag))
                #expect(await fixture.form("GET", "/subscriber/\(id)").status == 200, "a valid id uses up no tokens")
                #expect(await fixture.form("GET", "/subscriber/\(guess)").status == 404)
            }
            let paths = [
                ("GET", "/subscriber/\(id)"), ("POST", "/subscriber/\(id)"), ("DELETE", "/subscriber/\(id)"),
                ("POST", "/subscriber/\(id)/test"), ("GET", "/subscriber/\(id)/subscriptions"),
                ("POST", "/subscriber/\(id)/subscriptions/a"), ("DELETE", "/subscriber/\(id)/subscriptions/a"),
            ]
            for (method, path) in paths {
                let refused = await fixture.form(method, path)
                #expect(refused.status == 429, "\(method) \(path)")
                #expect(refused.headers["retry-after"] == "1")
            }
            #expect(try await fixture.subscriber() == id)
            fixture.time.advance(by: .milliseconds(500))
            #expect(await fixture.form("GET", "/subscriber/\(id)").status == 200)
        }
    }

    /// By default a client with few requests is never refused.
    @Test func nothingIsLimitedUnlessItIsSet() async throws {
        try await IngestFixture.run { fixture in
            for _ in 0..<50 { #expect(await fixture.form("GET", "/subscriber/J8lHY4X1XkU").status == 404) }
        }
    }
}
