import HTTP2
import JSONKit
import ServiceKit
import TestSupport
import Testing

/// Channels and broadcasts over HTTP/2, with phones that subscribed.
@Suite struct ChannelProcessTests {
    @Test func aBroadcastReachesItsPhones() async throws {
        let fixture = try await PhoneFixture()
        let (channel, other) = (try await create(fixture), try await create(fixture))
        let phones = try await fixture.add("\"count\":3")
        for (phone, channel) in zip(phones, [channel, channel, other]) {
            let token = try #require(phone["push_to_start_token"]?.text)
            #expect(try await fixture.send([start(on: channel)], to: token) == ["200"])
        }
        let answers = [
            await publish(LiveActivityPayload.update(1, at: 10), on: channel, by: fixture),
            await publish(LiveActivityPayload.start(at: 11, activity: "n"), on: channel, by: fixture),
            await publish(LiveActivityPayload.update(2, at: 12, event: "end"), on: channel, by: fixture),
            await publish(LiveActivityPayload.update(3, at: 13), on: channel, by: fixture),
        ]
        #expect(answers == Array(repeating: "200", count: 4))
        let shown = try await fixture.shown()
        #expect(shown.map { $0["state"]?.text } == ["ended", "ended", "running"])
        #expect(shown.map { $0["timestamp"]?.count } == [12, 12, 5])
        // The fourth broadcast has no subscriber any more; no broadcast can start an activity.
        #expect(shown[0].counts("received", "applied", "malformed", "after_end") == [4, 3, 1, 0])
        // A channel counts as one device.
        #expect(try await fixture.simulator.statistics("apns").counts("accepted", "distinct_devices") == [7, 4])
        let listed = try await channels(fixture)
        #expect(listed.map { $0["id"]?.text } == [channel, other])
        #expect(listed.map { $0.counts("message_storage_policy", "broadcasts", "phones") } == [[1, 4, 0], [1, 0, 1]])
        await fixture.close()
    }

    @Test func aBroadcastCanBeLateOnSomePhones() async throws {
        let fixture = try await PhoneFixture()
        let channel = try await create(fixture)
        for phone in try await fixture.add("\"count\":20,\"reorder\":0.5,\"delay_ms\":10") {
            let token = try #require(phone["push_to_start_token"]?.text)
            #expect(try await fixture.send([start(on: channel)], to: token) == ["200"])
        }
        // Starts can be late as well.
        try await waitUntil { try await fixture.summary()["sums"]?["starts"] == .integer(20) }
        for number in 6...15 {
            let update = LiveActivityPayload.update(number, at: number)
            #expect(await publish(update, on: channel, by: fixture) == "200")
        }
        try await waitUntil { try await fixture.summary()["sums"]?["received"] == .integer(220) }
        #expect(try await fixture.summary().counts("distinct_content_states", "newest_timestamp") == [1, 15])
        await fixture.close()
    }

    @Test func theAdminAPILimitsChannels() async throws {
        let fixture = try await PhoneFixture(["CARILLON_SIMULATOR_CHANNELS_MAX": "1"])
        _ = try await create(fixture)
        #expect(await fixture.send(creation(fixture)) == "400 CannotCreateChannelConfig")
        let admin = fixture.simulator.admin
        #expect(try await admin("POST", "/channels", "{\"max\":2}").status == 204)
        #expect(await fixture.send(creation(fixture)) == "201")
        #expect(try await admin("POST", "/channels", "{\"enabled\":false}").status == 204)
        #expect(await fixture.send(creation(fixture)) == "400 FeatureNotEnabled")
        let shown = try JSON(try await admin("GET", "/channels", "").body)
        #expect(shown["enabled"] == .bool(false) && shown["max"] == .integer(2))
        #expect(try await admin("POST", "/channels", "{\"max\":-1}").status == 400)
        await fixture.close()
    }

    /// The answer to a creation is lost, and the channel exists; a broadcast is refused as the rule says.
    @Test func faultsApplyToChannels() async throws {
        let fixture = try await PhoneFixture()
        let rules = [
            "\"kind\":\"fail\",\"delivered\":true,\"endpoint\":\"channels\",\"next\":1",
            "\"kind\":\"answer\",\"status\":503,\"reason\":\"ServiceUnavailable\",\"endpoint\":\"broadcast\","
                + "\"next\":1",
        ]
        for rule in rules {
            let body = "{\"provider\":\"apns\",\(rule)}"
            #expect(try await fixture.simulator.admin("POST", "/faults", body: body).status == 201)
        }
        #expect(await fixture.send(creation(fixture)) == "unknown")
        let channel = try #require(try await channels(fixture).first?["id"]?.text)
        let update = LiveActivityPayload.update(1, at: 10)
        #expect(await publish(update, on: channel, by: fixture) == "503 ServiceUnavailable")
        #expect(await publish(update, on: channel, by: fixture) == "200")
        #expect(try await channels(fixture).map { $0["broadcasts"] } == [.integer(1)])
        await fixture.close()
    }

    @Test func aChannelIsDeleted() async throws {
        let fixture = try await PhoneFixture()
        let channel = try await create(fixture)
        let path = "/1/apps/com.example.news/channels"
        let headers: HTTP2Headers = ["apns-channel-id": channel]
        #expect(await fixture.send(fixture.client.call(.get, path, headers: headers)) == "200")
        #expect(await fixture.send(fixture.client.call(.delete, path, headers: headers)) == "204")
        let answer = await publish(LiveActivityPayload.update(1, at: 10), on: channel, by: fixture)
        #expect(answer == "400 ChannelNotRegistered")
        await fixture.close()
    }

    private func creation(_ fixture: PhoneFixture) -> HTTP2Request {
        fixture.client.call(
            .post, "/1/apps/com.example.news/channels",
            body: "{\"message-storage-policy\":1,\"push-type\":\"LiveActivity\"}")
    }

    private func create(_ fixture: PhoneFixture) async throws -> String {
        let outcome = await fixture.client.pool.send(creation(fixture))
        #expect(outcome.status == 201)
        return try #require(outcome.header("apns-channel-id"))
    }

    private func publish(_ payload: String, on channel: String, by fixture: PhoneFixture) async -> String {
        let headers: HTTP2Headers = [
            "apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-priority": "5",
            "apns-expiration": "0",
        ]
        let path = "/4/broadcasts/apps/com.example.news"
        return await fixture.send(fixture.client.call(.post, path, headers: headers, body: payload))
    }

    private func start(on channel: String) -> String {
        LiveActivityPayload.start(at: 5, attributes: "{\"carillon\":{\"activityId\":\"m\"}}") { aps in
            aps.member("input-push-channel", channel)
        }
    }

    private func channels(_ fixture: PhoneFixture) async throws -> [JSON] {
        try JSON(try await fixture.simulator.admin("GET", "/channels").body)["channels"]?.elements ?? []
    }
}
