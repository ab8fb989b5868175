import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// `startLiveActivity` as in Pushwoosh's documentation; where that leaves a choice, as in `docs/pushwoosh.md`.
@Suite struct PushwooshStartTests {
    private func start(
        _ changes: [String: String?] = [:], as key: IngestFixture.Key = .owner, on fixture: IngestFixture
    ) async -> RawClient.Response {
        await fixture.pushwoosh(PushwooshSamples.start, [PushwooshSamples.notification(changes)], as: key)
    }

    @Test func thePagesSamplesAreTaken() async throws {
        let page = try #require(SourceTree.text("docs/pushwoosh.md"))
        let samples = MarkdownCode.blocks("json", inPage: page).filter { $0.contains("notifications") }
        #expect(samples.count == 2)
        try await IngestFixture.run { fixture in
            for sample in samples {
                let isStart = sample.contains("attributes-type")
                let response = await fixture.json(
                    "POST", isStart ? PushwooshSamples.start : PushwooshSamples.update,
                    json: sample.replacing("KEY", with: fixture.secret(.owner)), headers: ["Authorization": ""])
                #expect(response.isDone, "\(response.text)\n\(sample)")
            }
        }
    }

    @Test func theTaskSaysWhatWasAsked() async throws {
        try await IngestFixture.run { fixture in
            let response = await start(["content": #""Fallback""#, "title": #""Title""#], on: fixture)
            #expect(response.isDone, "\(response.text)")
            let task = try #require(fixture.bus.tasks.first)
            let digits = "\(task.id)".uppercased().filter { $0 != "-" }
            let code = "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(4))\(digits.dropFirst(20).prefix(4))-"
            #expect(response.json["response"]?["Messages"] == .array([.string(code + digits.suffix(8))]))
            let activity = try #require(task.content.activity)
            #expect(task.dialect == .pushwoosh && activity.event == .start)
            #expect(activity.activity == (try ActivityID("game-42")))
            #expect(activity.type == (try ActivityType("LiveActivityAttributes")))
            let members = try #require(activity.members)
            #expect(members["content-state"] == (try JSON(#"{"emoji":":wink:"}"#)))
            #expect(
                members["attributes"] == (try JSON(#"{"name":"Apple","pushwoosh":{"activityId":"game-42"}}"#)),
                "the SDK finds the id there")
            #expect(members["attributes-type"] == .string("LiveActivityAttributes"))
            #expect(members["alert"] == (try JSON(#"{"title":"Title","body":"Fallback"}"#)))
            #expect(task.content.message?.body == LocalizedText("Fallback"))
            #expect(task.content.message?.title == LocalizedText("Title"))
            #expect(task.content.platforms == [.ios])
            #expect(task.target.list == .entries([.alias(try Alias(.externalUser, value: "ada"))]))
            #expect(task.target.audience == nil)
            let known = await fixture.json("GET", "/v1/activities/game-42", as: .owner)
            #expect(known.status == 200 && known.json["type"] == .string("LiveActivityAttributes"))
        }
    }

    @Test func anAlertIsMadeWithoutTexts() async throws {
        try await IngestFixture.run { fixture in
            #expect(await start(on: fixture).isDone)
            let named = PushwooshSamples.activity(["title": #""Inner""#, "event": #""start""#])
            #expect(await start(["live_activity": named, "live_activity_id": #""two""#], on: fixture).isDone)
            let alerts = fixture.bus.tasks.map { $0.content.activity?.members?["alert"] }
            let expected = [#"{"title":"news"}"#, #"{"title":"Inner"}"#]
            #expect(alerts.map { $0?.compactText } == expected)
            #expect(fixture.bus.tasks.allSatisfy { $0.content.message == nil }, "there is nothing to fall back to")
        }
    }

    /// The app's language is French.
    @Test func textsMayBeByLanguageAndAreLiteral() async throws {
        try await IngestFixture.run { fixture in
            let texts = #"{"en":"It costs $5","FR":"Cela coûte ${prix}","pt_BR":"Custa"}"#
            #expect(await start(["content": texts], on: fixture).isDone)
            let content = try #require(fixture.bus.tasks.first?.content)
            let body = try #require(content.message?.body)
            #expect(content.activity?.members?["alert"]?["body"] == .string("Cela coûte ${prix}"))
            #expect(body.text(for: "pt-BR") == "Custa")
            #expect(
                content.variables == [
                    "content": "Cela coûte ${prix}", "content.en": "It costs $5", "content.fr": "Cela coûte ${prix}",
                ])
            #expect(body.standard == "${var.content}" && body.text(for: "en") == "${var.content.en}")
        }
    }

    @Test func usersPrecedeDevicesAndDevicesAFilter() async throws {
        try await IngestFixture.run { fixture in
            let audience = #"{"topic":"news"}"#
            #expect(await fixture.json("PUT", "/v1/audiences/readers", json: audience, as: .owner).status == 201)
            let upper = PushwooshSamples.token.uppercased()
            let requests: [[String: String?]] = [
                ["users": #"["ada","bob"]"#, "devices": #"["h"]"#, "filter_code": #""readers""#],
                ["users": nil, "devices": #"["h","\#(upper)"]"#, "filter": #""readers""#],
                ["users": nil, "filter_code": #""readers""#], ["users": nil, "filter": #""readers""#], ["users": nil],
            ]
            for (place, changes) in requests.enumerated() {
                let response = await start(changes.merging(["live_activity_id": "\"\(place)\""]) { $1 }, on: fixture)
                #expect(response.isDone, "\(response.text)")
            }
            let targets = fixture.bus.tasks.map(\.target)
            let users = try ["ada", "bob"].map { TargetEntry.alias(try Alias(.externalUser, value: $0)) }
            let token = try PushToken(.apns, text: PushwooshSamples.token)
            #expect(targets[0].list == .entries(users) && targets[0].audience == nil)
            #expect(targets[1].list == .entries([.alias(try Alias(.hardware, value: "h")), .token(token)]))
            #expect(targets[1].audience == nil)
            for target in targets[2...3] { #expect(target.audience == .topic(try TopicName("news"))) }
            #expect(targets[4].audience == .everyone)
        }
    }

    @Test func theWholeAppNeedsTheScopeForIt() async throws {
        try await IngestFixture.run { fixture in
            let refused = await start(["users": nil], as: .publisher, on: fixture)
            #expect(refused.status == 403 && refused.code == 403 && refused.message.contains("broadcast"))
            #expect(await start(as: .publisher, on: fixture).isDone)
            let unknown = await start(["users": nil, "filter": #""vips""#, "live_activity_id": #""x""#], on: fixture)
            #expect(unknown.status == 200 && unknown.code == 210)
            #expect(unknown.message.hasPrefix("request.notifications[0].filter_code: no saved audience vips"))
        }
    }

    @Test func aThousandDevicesAreTakenAndNoMore() async throws {
        try await IngestFixture.run { fixture in
            func devices(_ count: Int) -> String {
                "[" + (0..<count).map { "\"\(PushwooshSamples.hwid)-\($0)\"" }.joined(separator: ",") + "]"
            }
            let refused = await start(["users": nil, "devices": devices(1_001)], on: fixture)
            #expect(refused.code == 210 && refused.message.contains("notifications[0].devices: expected an array of 1"))
            #expect(fixture.bus.tasks.isEmpty)
            let taken = await start(["users": nil, "devices": devices(1_000)], on: fixture)
            #expect(taken.isDone, "\(taken.text)")
            #expect(fixture.bus.tasks.first?.target.list.entryCount == 1_000)
        }
    }

    @Test(
        arguments: [
            (["users": "[]"], "users: expected an array of 1 to 1000"), (["users": #"[""]"#], "users[0]: expected"),
            (["users": "[7]"], "users[0]: expected"), (["devices": #"["\u0001"]"#], "devices[0]: expected"),
            (["live_activity": nil], "live_activity: missing"), (["live_activity": "7"], "live_activity: expected"),
            (["live_activity_id": #""""#], "live_activity_id: expected"), (["content": "7"], "content: expected"),
            (["title": #"{"x y":"a"}"#], "title: expected"), (["content": "{}"], "content: expected"),
            (["filter": #""A""#], "filter: expected the name of a saved audience"),
            (["filter": #""a""#, "filter_code": #""b""#], "filter: not beside filter_code"),
            (["send_date": #""now""#], "send_date: unknown field"),
            (
                ["live_activity": PushwooshSamples.activity(["content-state": nil])],
                "live_activity.content-state: missing"
            ),
            (
                ["live_activity": PushwooshSamples.activity(["content-state": "[]"])],
                "live_activity.content-state: expected"
            ),
            (["live_activity": PushwooshSamples.activity(["attributes-type": nil])], "attributes-type: missing"),
            (["live_activity": PushwooshSamples.activity(["attributes-type": #""a b""#])], "attributes-type: expected"),
            (["live_activity": PushwooshSamples.activity(["attributes": nil])], "live_activity.attributes: missing"),
            (
                ["live_activity": PushwooshSamples.activity(["attributes": #"{"pushwoosh":{}}"#])],
                "live_activity.attributes: has a member pushwoosh"
            ),
            (
                ["live_activity": PushwooshSamples.activity(["event": #""update""#])],
                "live_activity.event: expected start"
            ),
            (["live_activity": PushwooshSamples.activity(["typo": "1"])], "live_activity.typo: unknown field"),
        ] as [([String: String?], String)])
    func aMistakeIsNamed(changes: [String: String?], message: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await start(changes, on: fixture)
            #expect(response.status == 200 && response.code == 210 && response.json["response"] == .null)
            #expect(response.message.hasPrefix("request.notifications[0]."), "\(response.text)")
            #expect(response.message.contains(message), "\(response.text)")
            #expect(fixture.bus.tasks.isEmpty)
        }
    }

    /// Goal: the limit of Apple is told before anything is stored. Method: one byte more than it.
    @Test(arguments: ["content-state", "attributes"])
    func anObjectTooLongForAppleIsNamed(name: String) async throws {
        try await IngestFixture.run { fixture in
            let object = #"{"x":"\#(String(repeating: "x", count: 4_097 - #"{"x":""}"#.utf8.count))"}"#
            let activity = PushwooshSamples.activity([name: object])
            let response = await start(["live_activity": activity], on: fixture)
            #expect(response.code == 210)
            #expect(
                response.message
                    == "request.notifications[0].live_activity.\(name): too long: it has 4097 bytes; at most 4096")
        }
    }

    /// Each part is short enough, but not their sum.
    @Test func aPayloadTooLongForAppleIsNamed() async throws {
        try await IngestFixture.run { fixture in
            let object = #"{"x":"\#(String(repeating: "x", count: 2_100))"}"#
            let activity = PushwooshSamples.activity(["content-state": object, "attributes": object])
            let response = await start(["live_activity": activity], on: fixture)
            #expect(response.code == 210)
            #expect(response.message.hasPrefix("live_activity.content-state: too long for Apple"), "\(response.text)")
            #expect(await fixture.json("GET", "/v1/activities/game-42", as: .owner).status == 404)
        }
    }

    @Test func notificationsAreAcceptedTogetherOrNotAtAll() async throws {
        try await IngestFixture.run { fixture in
            func send(_ notifications: [String]) async -> RawClient.Response {
                await fixture.pushwoosh(PushwooshSamples.start, notifications)
            }
            let one = PushwooshSamples.notification()
            let two = PushwooshSamples.notification(["live_activity_id": #""two""#])
            let twice = await send([one, one])
            #expect(twice.code == 210 && twice.message.contains("notifications[1].live_activity_id: twice"))
            let broken = await send([one, PushwooshSamples.notification(["users": "7"])])
            #expect(broken.code == 210 && broken.message.contains("notifications[1].users"))
            let none = await send([])
            #expect(none.code == 210 && none.message.contains("request.notifications: expected an array of 1 to 100"))
            let many = await send(Array(repeating: one, count: 101))
            #expect(many.code == 210 && many.message.contains("request.notifications: expected an array of 1 to 100"))
            #expect(fixture.bus.tasks.isEmpty)
            let both = await send([one, two])
            #expect(both.isDone && both.json["response"]?["Messages"]?.elements?.count == 2)
            #expect(fixture.bus.tasks.compactMap { $0.content.activity?.activity.text } == ["game-42", "two"])
            let running = await send([PushwooshSamples.notification(["live_activity_id": #""three""#]), two])
            #expect(running.code == 210 && running.message.hasPrefix("live_activity_id: The Live Activity two is"))
            #expect(await fixture.json("GET", "/v1/activities/three", as: .owner).status == 404)
            #expect(fixture.bus.tasks.count == 2)
        }
    }

    @Test func anIDIsChosenIfThePublisherHasNone() async throws {
        try await IngestFixture.run { fixture in
            let unnamed = PushwooshSamples.notification(["live_activity_id": nil])
            #expect(await fixture.pushwoosh(PushwooshSamples.start, [unnamed, unnamed]).isDone)
            let ids = fixture.bus.tasks.compactMap { $0.content.activity?.activity.text }
            #expect(Set(ids).count == 2)
        }
    }

    @Test func aRepeatWithAKeyGetsTheFirstAnswer() async throws {
        try await IngestFixture.run { fixture in
            func send() async -> RawClient.Response {
                let body = PushwooshSamples.request([PushwooshSamples.notification()], auth: fixture.secret(.owner))
                return await fixture.json(
                    "POST", PushwooshSamples.start, json: body,
                    headers: ["Authorization": "", "Idempotency-Key": "k"])
            }
            let first = await send()
            let second = await send()
            #expect(first.isDone && second.text == first.text && fixture.bus.tasks.count == 1)
        }
    }
}
