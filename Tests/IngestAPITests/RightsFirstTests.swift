import JSONKit
import TestSupport
import Testing

@testable import IngestAPI

/// A request without the required rights is refused before it costs anything: its other errors are not examined.
@Suite struct RightsFirstTests {
    /// Invalid JSON, which a parser would report.
    private static let broken = #"{"app_id":"example-news","topics":["a"],"#

    @Test func withoutARightToPublishNoBodyIsParsed() async throws {
        try await IngestFixture.run { fixture in
            for path in [
                RichieTests.path, "/v1/tasks", "/v1/tasks/batch", "/v1/previews", "/apps/news/v1/tasks",
                "/v1/activities",
            ] {
                let response = await fixture.json("POST", path, json: Self.broken, as: .news)
                #expect(response.status == 403, "\(path): \(response.text)")
                #expect(response.detail == "The key has no scope publish for this app.")
                let unknown = await fixture.json(
                    "POST", path, json: Self.broken, headers: ["Authorization": "Bearer nobody"])
                #expect(unknown.status == 401)
            }
            let replay = await fixture.json("POST", "/v1/dead-letters/replay", json: Self.broken, as: .news)
            #expect(replay.status == 403 && replay.detail == "The key has no scope admin for this app.")
            let group = await fixture.json("POST", AppMetricaGroupTests.groups, json: Self.broken, as: .news)
            #expect(group.status == 403, "\(group.text)")
            for path in [ContextPushSamples.schedule, ContextPushSamples.cancel] {
                let message = await fixture.json("POST", path, json: Self.broken, as: .news)
                #expect(message.status == 403, "\(message.text)")
                #expect(message.error == "The key has no scope publish for this app.")
            }
            for path in [PushwooshSamples.start, PushwooshSamples.update] {
                let start = await fixture.json("POST", path, json: Self.broken, as: .news)
                #expect(start.status == 403 && start.message.hasSuffix("The key has no scope publish for this app."))
            }
            for path in ["/subscribers", "/subscriber/J8lHY4X1XkU", "/subscriber/J8lHY4X1XkU/subscriptions"] {
                #expect(await fixture.json("POST", path, json: Self.broken, as: .publisher).status == 403, "\(path)")
            }
        }
    }

    @Test func withoutARightInTheAppNothingElseIsRead() async throws {
        try await IngestFixture.run { fixture in
            let mistakes = #""topics":[],"payloads":{"ios":{}},"typo":1"#
            let other = await fixture.json(
                "POST", RichieTests.path, json: #"{"app_id":"example-shop",\#(mistakes)}"#, as: .publisher)
            #expect(other.status == 404)
            let group = #"{"group":{"app_id":8,"name":7,"typo":1},"typo":1}"#
            #expect(await fixture.json("POST", AppMetricaGroupTests.groups, json: group, as: .publisher).status == 403)
            for path in [ContextPushSamples.schedule, ContextPushSamples.cancel] {
                let body = #"{"bundle_id":"com.example.shop","platform":7,"content":7,"typo":1}"#
                #expect(await fixture.json("POST", path, json: body, as: .publisher).status == 403)
                let unnamed = await fixture.json("POST", path, json: #"{"platform":7,"typo":1}"#, as: .publisher)
                #expect(unnamed.status == 400 && unnamed.fields == ["bundle_id"])
            }
            let start = #"{"request":{"application":"SHOP0-00001","notifications":7,"typo":1}}"#
            let activity = await fixture.json("POST", PushwooshSamples.start, json: start, as: .publisher)
            #expect(activity.status == 403 && activity.code == 403)
            let none = await fixture.json("POST", RichieTests.path, json: "{\(mistakes)}", as: .publisher)
            #expect(none.status == 400)
            #expect(none.json["errors"]?.elements?.map { $0["field"] } == [.string("app_id")])
        }
    }

    /// The rest of each request is invalid, and too large for any provider.
    @Test func anAudienceBeyondTheKeyIsRefusedBeforeTheRestIsRead() async throws {
        try await IngestFixture.run { fixture in
            let long = String(repeating: "x", count: 100_000)
            let requests = [
                ("/v1/tasks", #"{"audience":{"all":true},"message":{"body":7},"users":[7],"typo":1}"#),
                ("/v1/tasks", #"{"audience":{"not":{"topic":"a"}},"payloads":{"ios":{"aps":{"alert":"\#(long)"}}}}"#),
                (RichieTests.path, #"{"app_id":"example-news","topics":["all_users"],"payloads":{"ios":7},"typo":1}"#),
            ]
            for (path, body) in requests {
                let response = await fixture.json("POST", path, json: body, as: .publisher)
                #expect(response.status == 403, "\(response.text)")
                #expect(response.detail == "The key has no scope broadcast for this app.")
                #expect(await fixture.json("POST", path, json: body, as: .owner).status == 400)
            }
        }
    }
}
