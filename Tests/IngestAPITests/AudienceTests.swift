import Bus
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

@Suite(.timeLimit(.minutes(3))) struct AudienceTests {
    private func save(_ name: String, audience: String, fixture: IngestFixture) async -> RawClient.Response {
        await fixture.json("PUT", "/v1/audiences/\(name)", json: audience, as: .owner)
    }

    private func post(
        _ audience: String, as key: IngestFixture.Key, fixture: IngestFixture, headers: [String: String] = [:]
    ) async -> RawClient.Response {
        await fixture.json(
            "POST", "/v1/tasks", json: #"{"audience":\#(audience),"message":{"body":"x"}}"#, as: key, headers: headers)
    }

    @Test func anAudienceIsSavedReadAndRemoved() async throws {
        try await IngestFixture.run { fixture in
            let first = await save("vip", audience: #"{"topic":"a"}"#, fixture: fixture)
            #expect(first.status == 201)
            #expect(first.text == #"{"name":"vip","audience":{"topic":"a"}}"#)
            let again = await save("vip", audience: #"{"any":[{"topic":"a"},{"user":true}]}"#, fixture: fixture)
            #expect(again.status == 200)
            #expect(await save("all", audience: #"{"all":true}"#, fixture: fixture).status == 201)
            let read = await fixture.json("GET", "/v1/audiences/vip", as: .publisher)
            #expect(read.text == again.text)
            let list = await fixture.json("GET", "/v1/audiences", as: .publisher)
            #expect(list.text == #"{"audiences":["all","vip"]}"#)
            #expect(await fixture.json("GET", "/v1/audiences", as: .shop).text == #"{"audiences":[]}"#)
            #expect(await fixture.json("DELETE", "/v1/audiences/vip", as: .owner).status == 204)
            for method in ["GET", "DELETE"] {
                let gone = await fixture.json(method, "/v1/audiences/vip", as: .owner)
                #expect(gone.status == 404 && gone.json["type"] == .string("urn:carillon:unknown-audience"))
            }
        }
    }

    /// Goal: a saved audience gives a key no reach that it lacks. Method: a key that may only publish to topics names
    /// audiences that reach all devices, directly, through others, and beside a topic.
    @Test func aSavedAudienceHidesNoBroadcast() async throws {
        try await IngestFixture.run { fixture in
            for (name, audience) in [
                ("all", #"{"all":true}"#), ("hidden", #"{"any":[{"topic":"a"},{"audience":"all"}]}"#),
                ("rest", #"{"not":{"topic":"a"}}"#), ("news", #"{"topic":"a"}"#),
            ] {
                #expect(await save(name, audience: audience, fixture: fixture).status == 201)
            }
            for audience in [
                #"{"audience":"all"}"#, #"{"audience":"hidden"}"#, #"{"audience":"rest"}"#,
                #"{"any":[{"topic":"a"},{"audience":"all"}]}"#,
            ] {
                let refused = await post(audience, as: .poster, fixture: fixture)
                #expect(refused.status == 403, "\(audience)")
                #expect(await post(audience, as: .owner, fixture: fixture).status == 201, "\(audience)")
            }
            for audience in [#"{"audience":"news"}"#, #"{"all_of":[{"topic":"b"},{"audience":"all"}]}"#] {
                #expect(await post(audience, as: .poster, fixture: fixture).status == 201, "\(audience)")
            }
            #expect(await fixture.json("PUT", "/v1/audiences/x", json: #"{"topic":"a"}"#, as: .poster).status == 403)
            #expect(await fixture.json("DELETE", "/v1/audiences/all", as: .publisher).status == 403)
        }
    }

    /// Goal: a task keeps what an audience meant when the task was accepted, and the repeat of its request gets its
    /// answer whatever became of the audience.
    @Test func aTaskKeepsWhatItWasAcceptedWith() async throws {
        try await IngestFixture.run { fixture in
            #expect(await save("vip", audience: #"{"topic":"a"}"#, fixture: fixture).status == 201)
            let key = ["Idempotency-Key": "k1"]
            let first = await post(#"{"audience":"vip"}"#, as: .owner, fixture: fixture, headers: key)
            #expect(first.status == 201)
            let id = try #require(first.json["id"]?.text.flatMap { TaskID($0) })
            let task = try #require(try await fixture.archive.task(id))
            #expect(task.target.audience == .topic(try TopicName("a")))
            #expect(await fixture.json("DELETE", "/v1/audiences/vip", as: .owner).status == 204)
            let repeated = await post(#"{"audience":"vip"}"#, as: .owner, fixture: fixture, headers: key)
            #expect(repeated.status == 201 && repeated.text == first.text)
            let later = await post(#"{"audience":"vip"}"#, as: .owner, fixture: fixture)
            #expect(later.status == 400)
            #expect(
                later.detail == "audience: no saved audience vip; create it with PUT /v1/audiences/vip", "\(later.text)"
            )
        }
    }

    @Test func whatCouldNotBeUsedIsNotSaved() async throws {
        try await IngestFixture.run { fixture in
            #expect(await save("a", audience: #"{"topic":"a"}"#, fixture: fixture).status == 201)
            #expect(await save("b", audience: #"{"audience":"a"}"#, fixture: fixture).status == 201)
            for (name, audience, detail) in [
                ("a", #"{"not":{"audience":"b"}}"#, "audience: saved audiences refer to each other: a, b, a"),
                ("c", #"{"audience":"c"}"#, "audience: saved audiences refer to each other: c, c"),
                ("c", #"{"audience":"d"}"#, "audience: no saved audience d; create it with PUT /v1/audiences/d"),
                ("c", #"{"audience":"D"}"#, "audience: expected the name of a saved audience: \(AudienceName.rule)"),
                ("C", #"{"topic":"a"}"#, "name: expected \(AudienceName.rule)"),
                ("c", #"{"topic":7}"#, "topic: expected a topic of 1 to 256 bytes without control characters"),
            ] {
                let refused = await save(name, audience: audience, fixture: fixture)
                #expect(refused.status == 400 && refused.detail == detail, "\(refused.text)")
            }
            let bodies = (0..<200).map { _ in #"{"audience":"b"}"# }.joined(separator: ",")
            #expect(await save("wide", audience: #"{"any":[\#(bodies)]}"#, fixture: fixture).status == 201)
            let twice = #"{"any":[{"audience":"wide"},{"audience":"wide"}]}"#
            let refused = await save("wider", audience: twice, fixture: fixture)
            #expect(
                refused.detail == "audience: with its saved audiences it has more than the maximum of 256 parts",
                "\(refused.text)")
        }
    }

    @Test func devicesAreCountedByPlatform() async throws {
        try await IngestFixture.run { fixture in
            _ = try await fixture.subscriber("lang=fr")
            let android = "proto=fcm&token=\(SampleTokens.fcm)&lang=fr_CA&external_user_id=u"
            #expect(await fixture.form("POST", "/subscribers", form: android).status == 201)
            #expect(await save("french", audience: #"{"language":"fr"}"#, fixture: fixture).status == 201)
            let others = #""web":0,"windows":0,"http":0"#
            for (audience, expected) in [
                (#"{"audience":"french"}"#, #"{"devices":2,"platforms":{"ios":1,"android":1,\#(others)}}"#),
                (
                    #"{"all_of":[{"audience":"french"},{"user":true}]}"#,
                    #"{"devices":1,"platforms":{"ios":0,"android":1,\#(others)}}"#
                ),
                (#"{"topic":"none"}"#, #"{"devices":0,"platforms":{"ios":0,"android":0,\#(others)}}"#),
            ] {
                let body = #"{"audience":\#(audience)}"#
                let counted = await fixture.json("POST", "/v1/audiences/count", json: body, as: .publisher)
                #expect(counted.status == 200 && counted.text == expected, "\(counted.text)")
                let dry = await fixture.json(
                    "POST", "/v1/tasks?dry_run=true", json: #"{"audience":\#(audience),"message":{"body":"x"}}"#,
                    as: .owner)
                #expect(dry.json["devices"] == counted.json["devices"], "\(dry.text)")
            }
            let empty = await fixture.json("POST", "/v1/audiences/count", json: "{}", as: .publisher)
            #expect(empty.status == 400 && empty.detail == "audience: missing; expected an object")
            #expect(await fixture.json("POST", "/v1/audiences/count", json: "{}", as: .poster).status == 403)
        }
    }

    /// Goal: counts that read records run one at a time for an app, and two for all. Method: counts that hold their
    /// turn.
    @Test func countsTakeTurns() async throws {
        let metrics = Metrics()
        let turns = CountTurns(metrics)
        let apps = try ["a", "b", "c"].map { try AppID($0) }
        let value = try await turns.run(for: apps[0]) {
            await #expect(throws: TaskError.counting) { try await turns.run(for: apps[0]) {} }
            return try await turns.run(for: apps[1]) {
                await #expect(throws: TaskError.counting) { try await turns.run(for: apps[2]) {} }
                #expect(metrics.gauge(.ingestCountsRunning).value == 2)
                return 7
            }
        }
        #expect(value == 7)
        await #expect(throws: CancellationError.self) {
            try await turns.run(for: apps[2]) { throw CancellationError() }
        }
        #expect(try await turns.run(for: apps[2]) { 8 } == 8)
        #expect(metrics.gauge(.ingestCountsRunning).value == 0)
    }
}
