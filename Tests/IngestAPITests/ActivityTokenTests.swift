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

@Suite struct ActivityTokenTests {
    private static func token(_ number: Int) -> String { String(repeating: "0\(number)", count: 40) }

    private func put(
        _ token: String, device: String, activity: String = "order", as key: IngestFixture.Key = .news,
        headers: [String: String] = [:], on fixture: IngestFixture
    ) async -> RawClient.Response {
        await fixture.json(
            "PUT", "/v1/devices/\(device)/activities/\(activity)", json: #"{"token":"\#(token)"}"#, as: key,
            headers: headers)
    }

    private func tokens(_ fixture: IngestFixture, activity: String = "order") async -> [String] {
        let list = await fixture.json("GET", "/v1/activities/\(activity)/devices", as: .owner).json
        return list["devices"]?.elements?.compactMap { $0["token"]?.text } ?? []
    }

    @Test func theLastTokenOfADeviceCounts() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("external_user_id=ada")
            for number in 1...3 {
                let response = await put(Self.token(number), device: device, on: fixture)
                #expect(response.status == 204, "\(response.text)")
            }
            #expect(await tokens(fixture) == [Self.token(3)])
            #expect(await put(Self.token(4), device: device, activity: "other", on: fixture).status == 204)
            #expect(await tokens(fixture) == [Self.token(3)], "of another activity")
            let removed = await fixture.json("DELETE", "/v1/devices/\(device)/activities/order")
            #expect(removed.status == 204)
            #expect(await tokens(fixture) == [])
            #expect(await tokens(fixture, activity: "other") == [Self.token(4)])
        }
    }

    /// Goal: a token takes little memory, and is shown with the user whom its device has now.
    @Test func aTokenIsShownWithTheUserOfItsDevice() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("external_user_id=ada")
            _ = await put(Self.token(1), device: device, on: fixture)
            func users() async -> [JSON] {
                let list = await fixture.json("GET", "/v1/activities/order/devices", as: .owner).json
                return list["devices"]?.elements?.compactMap { $0["user"] } ?? []
            }
            #expect(await users() == [.string("ada")])
            let ada = try Alias(.externalUser, value: "ada")
            #expect(try await fixture.registry.devices(of: ada, in: fixture.news.activities).isEmpty)
            _ = try await fixture.subscriber("external_user_id=bob")
            #expect(await users() == [.string("bob")])
        }
    }

    /// Goal: an activity that its app started on its own can be updated.
    @Test func aTokenBeginsAnUnknownActivity() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("")
            _ = await put(Self.token(1), device: device, on: fixture)
            let activity = await fixture.json("GET", "/v1/activities/order", as: .owner).json
            #expect(activity["started"] == .bool(false) && activity["type"] == .null)
            let update = await fixture.json(
                "PATCH", "/v1/activities/order", json: #"{"content_state":{}}"#, as: .owner)
            #expect(update.status == 202)
        }
    }

    /// Goal: a token that comes after an update gets it. Method: the resolver's step is taken here.
    @Test func aLateTokenGetsTheNewestState() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("")
            _ = await put(Self.token(1), device: device, on: fixture)
            #expect(fixture.bus.tasks.isEmpty, "there is no state yet")
            _ = await fixture.json("PATCH", "/v1/activities/order", json: #"{"content_state":{"a":1}}"#, as: .owner)
            let publication = try #require(fixture.bus.tasks.first)
            let book = ActivityBook(fixture.activities, time: fixture.time)
            let id = try ActivityID("order")
            let space = fixture.news.activities
            let released = try await book.release(publication.id, of: id, in: space)
            _ = await put(Self.token(2), device: device, on: fixture)
            let late = try #require(fixture.bus.tasks.last)
            #expect(fixture.bus.tasks.count == 2 && !late.awaitsState && late.target.list.entryCount == 1)
            #expect(late.content.activity?.timestamp == released?.publication.timestamp)
            #expect(late.content.activity?.members?["content-state"]?["a"] == .integer(1))
            _ = await put(Self.token(2), device: device, on: fixture)
            #expect(fixture.bus.tasks.count == 2, "it has it already")
        }
    }

    /// Goal: a token whose report fails before the state is accepted gets it when the report is repeated.
    @Test func aRepeatedReportGetsTheState() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("")
            _ = await put(Self.token(1), device: device, on: fixture)
            _ = await fixture.json("PATCH", "/v1/activities/order", json: #"{"content_state":{"a":1}}"#, as: .owner)
            let publication = try #require(fixture.bus.tasks.first)
            let book = ActivityBook(fixture.activities, time: fixture.time)
            _ = try await book.release(publication.id, of: try ActivityID("order"), in: fixture.news.activities)
            fixture.bus.fail(with: BusError(.unavailable, message: "no answer"))
            #expect(await put(Self.token(2), device: device, on: fixture).status == 503)
            fixture.bus.fail(with: nil)
            for _ in 1...2 { #expect(await put(Self.token(2), device: device, on: fixture).status == 204) }
            let states = fixture.bus.tasks.compactMap { $0.content.activity?.members?["content-state"] }
            #expect(states == [.object(JSONObject([("a", .integer(1))]))])
        }
    }

    /// Goal: the first token of an activity forgets nothing that is stored for it at the same time.
    @Test func aTokenThatBeginsAnActivityKeepsItsState() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("")
            let book = ActivityBook(fixture.activities, time: fixture.time)
            let (id, space) = (try ActivityID("order"), fixture.news.activities)
            let state = ActivityState(stamp: TaskID(high: 1, low: 1), contentState: JSONObject())
            _ = try await book.put(state, isEnd: false, task: state.stamp, of: id, in: space)
            let clock = try await book.clock(of: id, in: space)
            _ = await put(Self.token(1), device: device, on: fixture)
            #expect(try await book.activity(id, in: space)?.newest == state)
            #expect(try await book.clock(of: id, in: space) == clock)
        }
    }

    @Test func aPublicKeyReachesItsDeviceOnly() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("")
            let header = "Carillon-Device-Token"
            #expect(await put(Self.token(1), device: device, as: .app, on: fixture).status == 404)
            let foreign = [header: String(repeating: "0", count: 64)]
            #expect(await put(Self.token(1), device: device, as: .app, headers: foreign, on: fixture).status == 404)
            let own = [header: SampleTokens.apns]
            #expect(await put(Self.token(1), device: device, as: .app, headers: own, on: fixture).status == 204)
        }
    }

    @Test func aDeviceTakesItsTokensAlong() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("external_user_id=ada")
            _ = await put(Self.token(1), device: device, on: fixture)
            #expect(await fixture.json("DELETE", "/v1/devices/\(device)").status == 204)
            #expect(await tokens(fixture) == [])
            let other = try await fixture.subscriber("external_user_id=ada")
            _ = await put(Self.token(2), device: other, on: fixture)
            #expect(await fixture.json("DELETE", "/v1/users/ada", as: .owner).status == 200)
            #expect(await tokens(fixture) == [])
        }
    }

    @Test func tokensForStartingBelongToTheDevice() async throws {
        try await IngestFixture.run { fixture in
            func register(_ tokens: String) async -> RawClient.Response {
                await fixture.json(
                    "PUT", "/v1/devices",
                    json: #"{"protocol":"apns","token":"\#(SampleTokens.apns)","push_to_start":\#(tokens)}"#)
            }
            let first = await register(#"{"Order":"\#(Self.token(1))","Match":"\#(Self.token(2))"}"#)
            #expect(first.status == 201, "\(first.text)")
            let changed = await register(#"{"Order":null,"Match":"\#(Self.token(3))"}"#)
            #expect(changed.json["push_to_start"] == .object(JSONObject([("Match", .string(Self.token(3)))])))
            for mistake in [#"{"Order":"xyz"}"#, #"{"a b":"\#(Self.token(1))"}"#, "[]"] {
                #expect(await register(mistake).status == 400, "\(mistake)")
            }
            let android = await fixture.json(
                "PUT", "/v1/devices",
                json: #"""
                    {"protocol":"fcm","token":"\#(SampleTokens.fcm)","push_to_start":{"Order":"\#(Self.token(1))"}}
                    """#)
            #expect(android.status == 400)
        }
    }

    @Test func whatNothingEndsIsEndedAndForgotten() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber("")
            _ = await put(Self.token(1), device: device, on: fixture)
            fixture.time.advance(by: ActivitySweep.longestLife - .seconds(1))
            #expect(try await fixture.activitySweep.perform(in: fixture.news) == ActivitySweep.Report())
            fixture.time.advance(by: .seconds(1))
            #expect(
                try await fixture.activitySweep.perform(in: fixture.news)
                    == ActivitySweep.Report(ended: 1, forgotten: 0))
            #expect(fixture.bus.tasks.last?.awaitsState == true, "the end is sent")
            #expect(try await fixture.activitySweep.perform(in: fixture.news) == ActivitySweep.Report())
            fixture.time.advance(by: ActivitySweep.retention)
            #expect(
                try await fixture.activitySweep.perform(in: fixture.news)
                    == ActivitySweep.Report(ended: 0, forgotten: 1))
            #expect(await fixture.json("GET", "/v1/activities/order", as: .owner).status == 404)
            #expect(try await fixture.registry.deviceCount(in: fixture.news.activities) == 0)
        }
    }
}
