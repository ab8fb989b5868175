import Apps
import JSONKit
import PushModel
import TestSupport
import Testing

@testable import IngestAPI

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

    /// Goal: an admitted caller of an app with a limit can see it in every answer, whether a dialect or the server
    /// writes it. Method: requests of every dialect, with every kind of answer.
    @Test func everyAnswerSaysWhatIsLeft() async throws {
        try await IngestFixture.run(limits: Self.limits(20)) { fixture in
            let owner = ["Authorization": fixture.authorization(.owner)]
            let token = "proto=apns&token=\(SampleTokens.apns)"
            let device = try await fixture.subscriber()
            let large = ["Content-Length": "\(TaskLimits.bodyBytesMaximum + 1)"]
            let richie = #"{"app_id":"example-news","topics":["a"],"payloads":{"ios":{"aps":{"alert":{"body":"B"}}}}}"#
            let answers = [
                (201, await fixture.form("POST", "/subscribers", form: token + "A1", headers: owner)),
                (200, await fixture.form("GET", "/apps/news/subscriber/\(device)", headers: owner)),
                (404, await fixture.form("GET", "/subscriber/J8lHY4X1XkU", headers: owner)),
                (400, await fixture.form("POST", "/subscribers", form: "token=a", headers: owner)),
                (200, await fixture.json("GET", "/v1/tasks", as: .owner)),
                (400, await fixture.json("GET", "/v1/tasks?unknown=1", as: .owner)),
                (415, await fixture.form("POST", "/v1/tasks", form: "a=b", headers: owner)),
                (413, await fixture.json("POST", "/v1/tasks", as: .owner, headers: large)),
                (201, await fixture.json("POST", RichieTests.path, json: richie, as: .owner)),
                (400, await fixture.json("POST", RichieTests.path, json: "{", as: .owner)),
                (413, await fixture.json("POST", RichieTests.path, as: .owner, headers: large)),
            ]
            for (number, (status, answer)) in answers.enumerated() {
                #expect(answer.status == status, "\(number): \(answer.text)")
                #expect(answer.headers["ratelimit-policy"] == #""app";q=20;w=1"#, "\(number)")
                #expect(answer.headers["ratelimit"] == #""app";r=\#(19 - number);t=1"#, "\(number)")
            }
            fixture.time.advance(by: .seconds(1))
            let later = await fixture.json("GET", "/v1/tasks", as: .owner)
            #expect(later.headers["ratelimit"] == #""app";r=19;t=1"#)
            let unauthenticated = await fixture.form("GET", "/subscriber/x", headers: ["Authorization": ""])
            #expect(unauthenticated.status == 401 && unauthenticated.headers["ratelimit"] == nil)
            let unlimited = await fixture.json("GET", "/v1/tasks", as: .shop)
            #expect(unlimited.status == 200 && unlimited.headers["ratelimit-policy"] == nil)
        }
    }

    /// Goal: a request over the limit costs nothing. Method: only its head is sent.
    @Test(arguments: ["/subscribers", "/v1/tasks", RichieTests.path])
    func aRequestOverTheLimitIsRefusedBeforeItsBody(path: String) async throws {
        try await IngestFixture.run(limits: Self.limits(1)) { fixture in
            let headers = ["Authorization": fixture.authorization(.owner), "Content-Type": "application/json"]
            let first = await fixture.json("POST", path, json: "{}", as: .owner)
            #expect(first.status == 400)
            let refused = await fixture.sendHead("POST", path, bodyBytes: 5, headers: headers)
            #expect(refused?.status == 429)
            #expect(refused?.headers["ratelimit-policy"] == #""app";q=1;w=1"#)
            #expect(refused?.headers["ratelimit"] == #""app";r=0;t=1"#)
            #expect(refused?.headers["retry-after"] == "1")
        }
    }

    /// A key for two apps with Richie's identifiers: the body decides which of them counts the request.
    @Test func theAppInTheBodyCountsTheRequest() async throws {
        try await IngestFixture.run(limits: Self.limits(2)) { fixture in
            func post(_ app: String) async -> RawClient.Response {
                await fixture.json("POST", RichieTests.path, json: #"{"app_id":"\#(app)"}"#, as: .publishers)
            }
            let first = await post("example-news")
            #expect(first.status == 400 && first.headers["ratelimit"] == #""app";r=1;t=1"#)
            let other = await post("example-shop")
            #expect(other.status == 400 && other.headers["ratelimit"] == nil, "the other app has no limit")
            #expect(await post("example-news").headers["ratelimit"] == #""app";r=0;t=1"#)
            let refused = await post("example-news")
            #expect(refused.status == 429 && refused.headers["ratelimit"] == #""app";r=0;t=1"#)
            #expect(await post("example-shop").status == 400)
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
            let refused = await fixture.form("GET", "/subscriber/x", headers: wrong)
            #expect(refused.status == 429)
            #expect(refused.headers["ratelimit-policy"] == #""address";q=2;w=1"#)
            #expect(refused.headers["ratelimit"] == #""address";r=0;t=1"#)
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
                #expect(refused.headers["ratelimit-policy"] == #""unknown-subscribers";q=20;w=10"#)
                #expect(refused.headers["ratelimit"] == #""unknown-subscribers";r=0;t=10"#)
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
