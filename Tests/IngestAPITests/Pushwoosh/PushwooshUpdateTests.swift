import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// `updateLiveActivity`.
@Suite struct PushwooshUpdateTests {
    private func started(_ fixture: IngestFixture, id: String = "game-42") async throws {
        let notification = PushwooshSamples.notification(["live_activity_id": "\"\(id)\""])
        try #require(await fixture.pushwoosh(PushwooshSamples.start, [notification]).isDone)
    }

    private func update(
        _ changes: [String: String?] = [:], id: String = #""game-42""#, on fixture: IngestFixture
    ) async -> RawClient.Response {
        await fixture.pushwoosh(PushwooshSamples.update, [PushwooshSamples.change(changes, id: id)])
    }

    private func activity(_ fixture: IngestFixture, id: String = "game-42") async -> JSON {
        await fixture.json("GET", "/v1/activities/\(id)", as: .owner).json
    }

    /// No phone has reported a token: the state is stored, for the tokens that come.
    @Test func aStateIsStoredBeforeAnyToken() async throws {
        try await IngestFixture.run { fixture in
            try await started(fixture)
            fixture.time.advance(by: .seconds(1))
            let response = await update(["stale-date": "23456789", "dismissal-date": "12345678"], on: fixture)
            #expect(response.isDone, "\(response.text)")
            let stored = await activity(fixture)
            #expect(stored["content_state"] == (try JSON(#"{"deliveryStatus":"Done"}"#)))
            #expect(stored["stale_date"] == .string("1970-09-29T11:46:29.000Z"))
            #expect(stored["dismissal_date"] == .null, "it is that of an end")
            #expect(stored["state"] == .string("running"))
            let sent = fixture.bus.tasks.map { PushwooshAnswer.code(of: $0.id) }
            #expect(sent.count == 2)
            #expect(response.json["response"]?["Messages"] == .array([.string(sent.last ?? "")]))
        }
    }

    @Test func anEndHasTheLastState() async throws {
        try await IngestFixture.run { fixture in
            try await started(fixture)
            #expect(await update(["event": #""end""#, "dismissal-date": "12345678"], on: fixture).isDone)
            let stored = await activity(fixture)
            #expect(stored["state"] == .string("ended"))
            #expect(stored["dismissal_date"] == .string("1970-05-23T21:21:18.000Z"))
            for event in ["update", "end"] {
                let late = await update(["event": "\"\(event)\""], on: fixture)
                #expect(late.status == 200 && late.code == 210)
                #expect(late.message == "live_activity_id: The Live Activity game-42 has ended.")
            }
        }
    }

    @Test func anUnknownActivityIsNamed() async throws {
        try await IngestFixture.run { fixture in
            let response = await update(id: #""game-43""#, on: fixture)
            #expect(response.status == 200 && response.code == 210 && response.json["response"] == .null)
            #expect(response.message.hasPrefix("live_activity_id: The app has no Live Activity game-43:"))
        }
    }

    @Test func changesAreMadeTogetherOrNotAtAll() async throws {
        try await IngestFixture.run { fixture in
            try await started(fixture)
            try await started(fixture, id: "two")
            func send(_ ids: [String]) async -> RawClient.Response {
                await fixture.pushwoosh(PushwooshSamples.update, ids.map { PushwooshSamples.change(id: "\"\($0)\"") })
            }
            let unknown = await send(["game-42", "three"])
            #expect(unknown.code == 210 && unknown.message.contains("Activity three"))
            #expect(await activity(fixture)["content_state"] == (try JSON(#"{"emoji":":wink:"}"#)))
            let twice = await send(["two", "two"])
            #expect(twice.code == 210 && twice.message.contains("notifications[1].live_activity_id: twice"))
            let both = await send(["game-42", "two"])
            #expect(both.isDone && both.json["response"]?["Messages"]?.elements?.count == 2)
            let done = try JSON(#"{"deliveryStatus":"Done"}"#)
            for id in ["game-42", "two"] {
                #expect(await activity(fixture, id: id)["content_state"] == done)
            }
        }
    }

    @Test(
        arguments: [
            (["event": nil], "event: missing"), (["event": #""start""#], "event: expected update or end"),
            (["content-state": nil], "content-state: missing"), (["content-state": "7"], "content-state: expected"),
            (["dismissal-date": #""soon""#], "dismissal-date: expected an integer"),
            (["stale-date": "-1"], "stale-date: expected an integer"),
            (["attributes": "{}"], "attributes: unknown field"),
            (
                ["content-state": #"{"x":"\#(String(repeating: "x", count: 4_089))"}"#],
                "content-state: too long: it has 4097 bytes; at most 4096"
            ),
        ] as [([String: String?], String)])
    func aMistakeIsNamed(changes: [String: String?], message: String) async throws {
        try await IngestFixture.run { fixture in
            try await started(fixture)
            let response = await update(changes, on: fixture)
            #expect(response.status == 200 && response.code == 210)
            #expect(
                response.message.hasPrefix("request.notifications[0].live_activity.\(message)"), "\(response.text)")
            #expect(await activity(fixture)["content_state"] == (try JSON(#"{"emoji":":wink:"}"#)))
        }
    }

    @Test func theActivityMustBeNamed() async throws {
        try await IngestFixture.run { fixture in
            let response = await update(id: "null", on: fixture)
            #expect(response.code == 210)
            #expect(response.message.hasPrefix("request.notifications[0].live_activity_id: missing"))
        }
    }
}
