import Bus
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

@Suite struct ActivityRouteTests {
    private static let path = "/v1/activities"

    private func start(
        _ fields: String = #""id":"order","users":["ada"]"#, on fixture: IngestFixture
    ) async -> RawClient.Response {
        await fixture.json("POST", Self.path, json: ActivitySamples.start(fields), as: .owner)
    }

    private func update(
        _ state: String, id: String = "order", headers: [String: String] = [:], on fixture: IngestFixture
    ) async -> RawClient.Response {
        await fixture.json(
            "PATCH", "\(Self.path)/\(id)", json: #"{"content_state":\#(state)}"#, as: .owner, headers: headers)
    }

    private func activity(_ fixture: IngestFixture, id: String = "order") async -> JSON {
        await fixture.json("GET", "\(Self.path)/\(id)", as: .owner).json
    }

    private func fields(_ response: RawClient.Response) -> [String?]? {
        response.json["errors"]?.elements?.map { $0["field"]?.text }
    }

    @Test func aStartIsStoredAndSent() async throws {
        try await IngestFixture.run { fixture in
            let started = await start(
                #""id":"order","users":["ada"],"attributes":{"number":7},"fallback":{"body":"b"},"mirror":true"#,
                on: fixture)
            #expect(started.status == 201, "\(started.text)")
            #expect(started.headers["location"] == "/v1/activities/order")
            let task = try #require(fixture.bus.tasks.first)
            #expect(started.json["task"] == .string("\(task.id)"))
            let content = try #require(task.content.activity)
            #expect(content.event == .start && content.type?.text == "Order")
            #expect(content.timestamp == fixture.time.now.milliseconds / 1_000)
            let attributes = content.members?["attributes"]
            #expect(attributes?["number"] == .integer(7))
            #expect(attributes?["carillon"]?["activityId"] == .string("order"))
            #expect(task.content.message(for: .ios) != nil && task.content.message(for: .windows) == nil)
            #expect(task.content.message(for: .android)?.data["activity"] == .string("order"))
            let stored = await activity(fixture)
            #expect(stored["state"] == .string("running") && stored["started"] == .bool(true))
            #expect(stored["content_state"]?["step"] == .integer(1))
            let again = await start(on: fixture)
            #expect(again.status == 409 && again.json["type"] == .string("urn:carillon:activity-exists"))
        }
    }

    @Test func anUpdateIsAPublication() async throws {
        try await IngestFixture.run { fixture in
            _ = await start(on: fixture)
            fixture.time.advance(by: .seconds(2))
            let first = await update(#"{"step":2}"#, on: fixture)
            #expect(first.status == 202 && first.json["due"] != .null, "\(first.text)")
            let second = await update(#"{"step":3}"#, on: fixture)
            #expect(second.json["task"] == first.json["task"], "merged")
            let tasks = fixture.bus.tasks.filter { $0.app.isSpace }
            #expect(tasks.count == 1)
            let task = try #require(tasks.first)
            #expect(task.app == fixture.news.activities && task.awaitsState && task.sendAt == nil)
            #expect(task.target.audience == .topic(try ActivityID("order").topic))
            #expect(await activity(fixture)["content_state"]?["step"] == .integer(3))
            #expect(await activity(fixture)["pending"]?["task"] == first.json["task"])
        }
    }

    /// Goal: an update that another replaces before it is sent still lights up the screen. Method: only the first has an
    /// alert; once it was sent, the next one has none.
    @Test(arguments: [true, false]) func anAlertIsSentWithTheStateThatReplacesIt(isSent: Bool) async throws {
        try await IngestFixture.run { fixture in
            _ = await start(on: fixture)
            fixture.time.advance(by: .seconds(2))
            let alerting = await fixture.json(
                "PATCH", "\(Self.path)/order", json: #"{"content_state":{"step":2},"alert":{"title":"Here"}}"#,
                as: .owner)
            let book = ActivityBook(fixture.activities, time: fixture.time)
            let (id, space) = (try ActivityID("order"), fixture.news.activities)
            if isSent {
                let task = try #require(alerting.json["task"]?.text.flatMap { TaskID($0) })
                #expect(try await book.release(task, of: id, in: space)?.state.alert != nil)
            }
            _ = await update(#"{"step":3}"#, on: fixture)
            let newest = try #require(try await book.activity(id, in: space)?.newest)
            #expect(newest.contentState["step"] == .integer(3))
            #expect(newest.alert?["title"] == (isSent ? nil : .string("Here")) && newest.isUrgent == !isSent)
            // Of a state that leaves no room for it, only the state is sent.
            if !isSent { _ = await update(#"{"text":"\#(String(repeating: "x", count: 4_000))"}"#, on: fixture) }
            #expect(try await book.activity(id, in: space)?.newest?.alert == nil)
        }
    }

    @Test func aRepeatWithAKeyIsAnswered() async throws {
        try await IngestFixture.run { fixture in
            _ = await start(on: fixture)
            let headers = ["Idempotency-Key": "k"]
            let first = await update(#"{"step":2}"#, headers: headers, on: fixture)
            _ = await update(#"{"step":3}"#, on: fixture)
            let repeated = await update(#"{"step":2}"#, headers: headers, on: fixture)
            #expect(repeated.text == first.text && repeated.headers["idempotency-replayed"] == "true")
            #expect(await activity(fixture)["content_state"]?["step"] == .integer(3), "it does not go back")
        }
    }

    /// Goal: a start that was interrupted after it stored its activity is completed by its repeat, also if the activity
    /// was updated meanwhile.
    @Test func aRepeatedStartIsCompleted() async throws {
        try await IngestFixture.run { fixture in
            let json = ActivitySamples.start(#""id":"order","users":["ada"]"#)
            func start() async -> Int {
                await fixture.json(
                    "POST", Self.path, json: json, as: .owner, headers: ["Idempotency-Key": "k"]
                ).status
            }
            fixture.bus.fail(with: BusError(.unavailable, message: "no answer"))
            #expect(await start() == 503)
            fixture.bus.fail(with: nil)
            fixture.time.advance(by: .seconds(30))
            #expect(await update(#"{"step":2}"#, on: fixture).status == 202)
            #expect(await start() == 201)
            #expect(await activity(fixture)["content_state"]?["step"] == .integer(2), "it does not go back")
            let timestamps = fixture.bus.tasks.compactMap { $0.content.activity?.timestamp }
            let book = ActivityBook(fixture.activities, time: fixture.time)
            let id = try ActivityID("order")
            let released = try await book.release(
                try #require(fixture.bus.tasks.first).id, of: id, in: fixture.news.activities)
            let state = try #require(released?.publication.timestamp)
            #expect(timestamps.last.map { $0 < state } == true, "phones show the update")
            let other = await fixture.json("POST", Self.path, json: json, as: .owner)
            #expect(other.status == 409)
        }
    }

    /// Goal: an activity whose start is not stored as a whole is unknown, and another start replaces it.
    @Test func aStartThatWasCutIsReplaced() async throws {
        try await IngestFixture.run { fixture in
            let book = ActivityBook(fixture.activities, time: fixture.time)
            let id = try ActivityID("order")
            var base = ActivityBase()
            base.isStarted = true
            base.isBegun = false
            try await book.save(base, of: id, begun: fixture.time.now, in: fixture.news.activities)
            #expect(await update(#"{"step":2}"#, on: fixture).status == 404)
            #expect(await start(on: fixture).status == 201)
            #expect(await update(#"{"step":2}"#, on: fixture).status == 202)
        }
    }

    @Test func nothingFollowsAnEnd() async throws {
        try await IngestFixture.run { fixture in
            _ = await start(on: fixture)
            let end = await fixture.json("POST", "\(Self.path)/order/end", json: "{}", as: .owner)
            #expect(end.status == 202, "\(end.text)")
            let ended = await activity(fixture)
            #expect(ended["state"] == .string("ended") && ended["content_state"]?["step"] == .integer(1))
            for response in [
                await update("{}", on: fixture),
                await fixture.json("POST", "\(Self.path)/order/end", json: "{}", as: .owner),
            ] {
                #expect(response.status == 409 && response.json["type"] == .string("urn:carillon:activity-ended"))
            }
            fixture.time.advance(by: .seconds(1))
            let again = await start(on: fixture)
            #expect(again.status == 201, "the name is free again: \(again.text)")
            #expect(await activity(fixture)["state"] == .string("running"))
        }
    }

    @Test func anUnknownActivityIsNamed() async throws {
        try await IngestFixture.run { fixture in
            let response = await update("{}", id: "nothing", on: fixture)
            #expect(response.status == 404 && response.detail?.contains("nothing") == true, "\(response.text)")
        }
    }

    /// Goal: a payload that Apple would refuse is refused here. Method: the largest state that fits, and one byte more.
    @Test func aStateHasToFit() async throws {
        try await IngestFixture.run { fixture in
            _ = await start(on: fixture)
            func state(_ bytes: Int) -> String { #"{"x":"\#(String(repeating: "x", count: bytes))"}"# }
            // {"aps":{"timestamp":1767225600,"event":"update","content-state":{"x":""}}}
            let rest = #"{"aps":{"timestamp":1767225600,"event":"update","content-state":{"x":""}}}"#.utf8.count
            #expect(await update(state(4_096 - rest), on: fixture).status == 202)
            let long = await update(state(4_097 - rest), on: fixture)
            #expect(long.status == 400 && fields(long) == ["content_state"], "\(long.text)")
            let start = await start(
                #""id":"long","users":["ada"],"attributes":{"x":"\#(String(repeating: "x", count: 4_097))"}"#,
                on: fixture)
            #expect(start.status == 400 && fields(start) == ["content_state"])
            #expect(await activity(fixture, id: "long")["status"] == .integer(404), "it is not stored")
        }
    }

    @Test(arguments: [
        (#""id":"","users":["ada"]"#, "id"), (#""users":["ada"],"typo":1"#, "typo"), (#""id":"a""#, ""),
        (#""users":["ada"],"attributes":{"carillon":{}}"#, "attributes"),
        (#""users":["ada"],"updates":"x""#, "updates"),
        (#""users":["ada"],"stale_date":"tomorrow""#, "stale_date"),
        (#""users":["ada"],"stale_date":"0252-08-14T21:26:36Z""#, "stale_date"),
    ])
    func mistakesAreNamed(_ given: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await start(given, on: fixture)
            #expect(response.status == 400 && fields(response) == [field], "\(response.text)")
        }
    }

    @Test func aListHasAThousandEntries() async throws {
        try await IngestFixture.run { fixture in
            let users = (0..<1_001).map { #""u\#($0)""# }
            #expect(await start("\"users\":[\(users.dropLast().joined(separator: ","))]", on: fixture).status == 201)
            let many = await start("\"users\":[\(users.joined(separator: ","))]", on: fixture)
            #expect(many.status == 400 && fields(many) == ["users"])
        }
    }

    @Test func everyoneNeedsTheScopeToBroadcast() async throws {
        try await IngestFixture.run { fixture in
            let json = ActivitySamples.start(#""audience":{"all":true}"#)
            #expect(await fixture.json("POST", Self.path, json: json, as: .publisher).status == 403)
            #expect(await fixture.json("POST", Self.path, json: json, as: .owner).status == 201)
        }
    }

    @Test func activitiesAreListedByPage() async throws {
        try await IngestFixture.run { fixture in
            for number in 0..<5 {
                _ = await start(#""id":"a\#(number)","users":["ada"]"#, on: fixture)
                fixture.time.advance(by: .seconds(1))
            }
            var ids: [String] = []
            var next: String? = ""
            while let cursor = next {
                let query = cursor.isEmpty ? "" : "&before=\(cursor)"
                let page = await fixture.json("GET", "\(Self.path)?limit=2\(query)", as: .owner).json
                ids += page["activities"]?.elements?.compactMap { $0["id"]?.text } ?? []
                next = page["next"]?.text
            }
            #expect(ids == ["a4", "a3", "a2", "a1", "a0"])
            #expect(await fixture.json("GET", "\(Self.path)?before=x", as: .owner).status == 400)
        }
    }
}
