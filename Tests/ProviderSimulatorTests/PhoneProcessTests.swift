import HTTP2
import JSONKit
import ServiceKit
import TestSupport
import Testing

/// Phones with Live Activities, reached by pushes over HTTP/2.
@Suite struct PhoneProcessTests {
    @Test func aPhoneShowsTheNewestState() async throws {
        let fixture = try await PhoneFixture()
        let phone = try #require(try await fixture.add("\"count\":1,\"activity\":\"m\"").first)
        let token = try #require(phone["activity_token"]?.text)
        let payloads = [
            LiveActivityPayload.update(1, at: 10), LiveActivityPayload.update(2, at: 20, alert: "Goal"),
            LiveActivityPayload.update(1, at: 20), LiveActivityPayload.update(1, at: 15),
            "{\"aps\":{\"event\":\"update\",\"content-state\":{}}}",
            LiveActivityPayload.update(3, at: 30, event: "end"), LiveActivityPayload.update(4, at: 40),
        ]
        let answers = try await fixture.send(payloads, to: token.uppercased())
        #expect(answers == Array(repeating: "200", count: 7))
        let shown = try await fixture.onlyPhone("?activity=m")
        #expect(shown["state"]?.text == "ended" && shown["activity_token"]?.text == token)
        #expect(shown["content_state"] == (try JSON(LiveActivityPayload.state(3))))
        #expect(shown["timestamp"] == .integer(30))
        let counts = shown.counts(
            "received", "applied", "overtaken", "equal", "malformed", "after_end", "alerts", "arrived_older")
        #expect(counts == [7, 3, 1, 1, 1, 1, 1, 1])
        let worst = try #require(shown["worst_second"]?.count)
        #expect(1...7 ~= worst)
        #expect(try await fixture.shown("?activity=other").isEmpty)
        #expect(try await fixture.simulator.statistics("apns")["accepted"] == .integer(7))
        await fixture.close()
    }

    @Test func aStartBeginsAnActivity() async throws {
        let fixture = try await PhoneFixture()
        let phone = try #require(try await fixture.add("\"count\":1,\"attributes_type\":\"Match\"").first)
        #expect(phone["activity_token"] == nil)
        let start = try #require(phone["push_to_start_token"]?.text)
        let payloads = [
            LiveActivityPayload.start(at: 5, activity: "m"), LiveActivityPayload.start(at: 5, attributes: "{}"),
            LiveActivityPayload.start(at: 5, attributes: "{\"carillon\":{\"activityId\":\"n\"}}", type: "Race"),
            LiveActivityPayload.update(1, at: 6),
        ]
        #expect(try await fixture.send(payloads, to: start) == Array(repeating: "200", count: 4))
        let shown = try await fixture.onlyPhone()
        #expect(shown["activity"]?.text == "m" && shown["state"]?.text == "running")
        // The second start has no id, the third another type, and the last push is no start.
        #expect(shown.counts("received", "starts", "alerts", "unidentified", "malformed") == [4, 1, 1, 1, 2])
        let token = try #require(shown["activity_token"]?.text)
        #expect(try await fixture.send([LiveActivityPayload.update(1, at: 6)], to: token) == ["200"])
        #expect(try await fixture.onlyPhone()["timestamp"] == .integer(6))
        await fixture.close()
    }

    @Test(arguments: [("17.6", 0, 1), ("18.0", 1, 0)])
    func channelsNeedASystem(system: String, starts: Int, unsupported: Int) async throws {
        let fixture = try await PhoneFixture()
        let phone = try #require(try await fixture.add("\"count\":1,\"system\":\"\(system)\"").first)
        let payload = LiveActivityPayload.start(at: 5, attributes: "{\"pushwoosh\":{\"activityId\":\"m\"}}") { aps in
            aps.member("input-push-channel", "AAAA")
        }
        let token = try #require(phone["push_to_start_token"]?.text)
        #expect(try await fixture.send([payload], to: token) == ["200"])
        let shown = try await fixture.onlyPhone()
        #expect(shown.counts("starts", "unsupported") == [starts, unsupported])
        #expect(shown["activity_token"] == nil && shown["channel"]?.text == (starts == 1 ? "AAAA" : nil))
        #expect(shown["state"]?.text == (starts == 1 ? "running" : "idle"))
        await fixture.close()
    }

    @Test func eachTokenHasItsOwnPushes() async throws {
        let fixture = try await PhoneFixture()
        let phone = try #require(try await fixture.add("\"count\":1,\"activity\":\"m\"").first)
        let device = try #require(phone["token"]?.text)
        let alert = "{\"aps\":{\"alert\":\"Hello\"}}"
        #expect(await fixture.send(fixture.client.push(to: device, alert: alert)) == "200")
        let update = LiveActivityPayload.update(1, at: 10)
        #expect(try await fixture.send([update], to: device) == ["400 DeviceTokenNotForTopic"])
        for name in ["activity_token", "push_to_start_token"] {
            let token = try #require(phone[name]?.text)
            let answer = await fixture.send(fixture.client.push(to: token, alert: alert))
            #expect(answer == "400 DeviceTokenNotForTopic")
        }
        // A token of no phone is accepted with either type.
        #expect(try await fixture.send([update], to: ApplePool.token(1)) == ["200"])
        #expect(try await fixture.onlyPhone()["received"] == .integer(0))
        await fixture.close()
    }

    /// Some pushes overtake others, and each phone ends with the newest state.
    @Test func latePushesAreOvertaken() async throws {
        let fixture = try await PhoneFixture()
        let phones = try await fixture.add("\"count\":10,\"activity\":\"m\",\"reorder\":0.5,\"delay_ms\":500")
        let tokens = phones.compactMap { $0["activity_token"]?.text }
        let pushes = (1...20).flatMap { number in
            tokens.map { fixture.client.push(to: $0, liveActivity: LiveActivityPayload.update(number, at: number)) }
        }
        let outcomes = await fixture.client.pool.send(pushes)
        #expect(outcomes.allSatisfy { $0.status == 200 })
        try await waitUntil { try await fixture.summary("?activity=m")["sums"]?["received"] == .integer(200) }
        let summary = try await fixture.summary("?activity=m")
        #expect(summary.counts("phones", "distinct_content_states", "newest_timestamp") == [10, 1, 20])
        let state = try #require(summary["content_states"]?.elements?.first)
        #expect(state["content_state"] == (try JSON(LiveActivityPayload.state(20))) && state["phones"] == .integer(10))
        let sums = try #require(summary["sums"])
        let (applied, overtaken) = (sums["applied"]?.count ?? 0, sums["overtaken"]?.count ?? 0)
        #expect(applied + overtaken == 200 && overtaken > 0)
        #expect(sums["arrived_older"]?.count == overtaken)
        let maxima = try #require(summary["maxima"])
        #expect(maxima.counts("received", "starts") == [20, 0])
        let worst = try #require(maxima["worst_second"]?.count)
        #expect(1...20 ~= worst)
        await fixture.close()
    }

    @Test func allPushesCanBeLate() async throws {
        let fixture = try await PhoneFixture()
        let phone = try #require(
            try await fixture.add("\"count\":1,\"activity\":\"m\",\"reorder\":1,\"delay_ms\":1").first)
        let token = try #require(phone["activity_token"]?.text)
        #expect(try await fixture.send([LiveActivityPayload.update(1, at: 10)], to: token) == ["200"])
        try await waitUntil { try await fixture.onlyPhone()["applied"] == .integer(1) }
        await fixture.close()
    }

    @Test func rotatedAndDismissedTokensAreGone() async throws {
        let fixture = try await PhoneFixture()
        let phones = try await fixture.add("\"count\":2,\"activity\":\"m\"")
        let tokens = phones.compactMap { $0["activity_token"]?.text }
        let start = try #require(phones[0]["push_to_start_token"]?.text)
        #expect(try await fixture.change("/phones/rotate", "\"phones\":[\"1\"],\"which\":\"activity\"") == 1)
        #expect(try await fixture.change("/phones/rotate", "\"which\":\"push_to_start\"") == 2)
        let update = LiveActivityPayload.update(1, at: 10)
        #expect(try await fixture.send([update], to: tokens[0]) == ["410 ExpiredToken"])
        #expect(try await fixture.send([update], to: start) == ["410 ExpiredToken"])
        #expect(try await fixture.send([update], to: tokens[1]) == ["200"])
        let shown = try await fixture.shown()
        let renewed = try #require(shown.first?["activity_token"]?.text)
        #expect(renewed != tokens[0] && shown.first?["push_to_start_token"]?.text != start)
        #expect(try await fixture.send([update], to: renewed) == ["200"])
        #expect(try await fixture.change("/phones/dismiss", "") == 2)
        #expect(try await fixture.send([update], to: renewed) == ["410 Unregistered"])
        #expect(try await fixture.change("/phones/dismiss", "\"phones\":[\"1\"]") == 0)
        #expect(try await fixture.summary()["states"] == (try JSON("{\"dismissed\":2}")))
        await fixture.close()
    }

    @Test func removedPhonesLeaveNothing() async throws {
        let fixture = try await PhoneFixture()
        let phone = try #require(try await fixture.add("\"count\":1,\"activity\":\"m\"").first)
        #expect(try await fixture.simulator.admin("DELETE", "/phones").status == 204)
        let token = try #require(phone["activity_token"]?.text)
        let alert = fixture.client.push(to: token, alert: "{\"aps\":{\"alert\":\"Hello\"}}")
        #expect(await fixture.send(alert) == "200")
        #expect(try await fixture.summary()["phones"] == .integer(0))
        #expect(try await fixture.add("\"count\":1").first?["phone"]?.text == "2")
        await fixture.close()
    }

    @Test(arguments: [
        ("/phones", "{}", "count"), ("/phones", "{\"count\":10001}", "count"),
        ("/phones", "{\"count\":1,\"reorder\":2}", "reorder"), ("/phones", "{\"count\":1,\"delay_ms\":-1}", "delay_ms"),
        ("/phones", "{\"count\":1,\"system\":\"iOS\"}", "system"), ("/phones", "{\"count\":1,\"size\":1}", "size"),
        ("/phones", "{\"count\":1,\"report\":{\"url\":\"ftp://x\",\"key\":\"k\"}}", "report.url"),
        ("/phones", "{\"count\":1,\"report\":{\"url\":\"http://x\",\"key\":\"k\"}}", "attributes_type"),
        ("/phones/rotate", "{}", "which"), ("/phones/rotate", "{\"which\":\"activity\",\"phones\":[\"1\"]}", "phones"),
        ("/phones/dismiss", "{\"phones\":[1]}", "phones"),
    ])
    func theAdminAPINamesTheField(path: String, body: String, field: String) async throws {
        let simulator = try await SimulatorProcess()
        let answer = try await simulator.admin("POST", path, body: body)
        #expect(answer.status == 400)
        let detail = try #require(try JSON(answer.body)["detail"]?.text)
        #expect(detail.hasPrefix(field), "\(detail)")
        #expect(try await simulator.admin("GET", "/phones?limit=x").status == 400)
    }
}
