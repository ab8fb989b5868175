import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// `POST /event/NAME`: events as pushd's publishers send them, and what becomes of them.
@Suite struct EventTests {
    private func post(
        _ fixture: IngestFixture, event: String = "sport", form: String, as key: IngestFixture.Key = .publisher
    ) async -> RawClient.Response {
        await fixture.form(
            "POST", "/event/\(event)", form: form, headers: ["Authorization": fixture.authorization(key)])
    }

    /// The event of pushd's documentation.
    @Test func theDocumentedEventBecomesATask() async throws {
        try await IngestFixture.run { fixture in
            let response = await post(
                fixture, event: "user.newVideo:fkwhpd",
                form: "msg=${var.name} sent a new video: ${var.title}&msg.fr=${var.name} a envoy%C3%A9: ${var.title}"
                    + "&sound=newVideo.mp3&data.user_id=fkwhpd&data.video_id=1k3dxk&var.name=John Doe"
                    + "&var.title=Super awesome video")
            #expect(response.status == 204)
            #expect(response.headers["carillon-dropped"] == nil)
            let task = try #require(fixture.bus.tasks.first)
            #expect(response.headers["location"] == "/v1/tasks/\(task.id)")
            #expect(task.dialect == .pushd)
            #expect(try task.target.audience == .topic(TopicName("user.newVideo:fkwhpd")))
            let message = try #require(task.content.message)
            #expect(
                message.body
                    == LocalizedText(
                        "John Doe sent a new video: Super awesome video",
                        translations: ["fr": "John Doe a envoyé: Super awesome video"]))
            #expect(message.title == nil)
            #expect(message.sound == "newVideo.mp3")
            #expect(message.data["video_id"] == .string("1k3dxk"))
            #expect(message.badge == .increment)
            #expect(!message.isSilent)
            #expect(task.options.timeToLive == .seconds(3_600))
            #expect(task.content.variables.isEmpty)
        }
    }

    @Test func jsonIsReadLikeAForm() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/apps/news/event/sport",
                json: #"{"title":"T","title.fr_CA":"T2","badge":"7","category":"c","contentAvailable":"true"}"#,
                as: .publisher)
            #expect(response.status == 204)
            let content = try #require(fixture.bus.tasks.first).content
            #expect(content.message?.title == LocalizedText("T", translations: ["fr-ca": "T2"]))
            #expect(content.message?.badge == .set(7))
            #expect(content.message?.category == "c")
            #expect(content.wakesAppleApp)
            #expect(content.hasPlainAppleAlert)
        }
    }

    @Test func badgeAndSilence() async throws {
        try await IngestFixture.run { fixture in
            #expect(await post(fixture, form: "data.a=1&incrementBadge=false").status == 204)
            #expect(await post(fixture, form: "data.a=1").status == 204)
            #expect(await post(fixture, form: "msg.fr=seulement").status == 204)
            let messages = fixture.bus.tasks.compactMap(\.content.message)
            #expect(messages.map(\.badge) == [nil, .increment, .increment])
            #expect(messages.map(\.isSilent) == [true, true, false])
            #expect(messages.last?.body == LocalizedText("", translations: ["fr": "seulement"]))
        }
    }

    @Test func templatesAreFilledOnce() async throws {
        try await IngestFixture.run { fixture in
            let text = "${event.name} ${data.x} ${var.v} ${open"
            #expect(await post(fixture, form: "msg=\(text)&title.fr=${var.v}&data.x=d&var.v=${var.none}").status == 204)
            let content = try #require(fixture.bus.tasks.first).content
            #expect(content.message?.body?.standard == "sport d ${var.mark}var.none} ${var.mark}open")
            #expect(content.variables == ["mark": "${"])
        }
    }

    @Test(arguments: [
        ("tittle=x", "unknown_field"), ("foo.bar=x", "unknown_field"), ("data.=x", "unknown_field"), ("", "empty"),
        ("var.a=x", "empty"), ("sound=x", "empty"), ("msg=${var.a}", "template"), ("msg.fr=${other}&msg=x", "template"),
        ("msg=${data.a}", "template"), ("msg=x&badge=many", "invalid_value"), ("msg=x&badge=-1", "invalid_value"),
        ("msg=x&incrementBadge=no", "invalid_value"), ("data.aps=x", "payload"), ("data[a]=x", "invalid_value"),
    ])
    func aDroppedEventSaysWhy(form: String, reason: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await post(fixture, form: form)
            #expect(response.status == 204, "\(response.text)")
            #expect(response.headers["carillon-dropped"]?.hasPrefix("\(reason): ") == true, "\(response.headers)")
            #expect(fixture.bus.sent.isEmpty)
            #expect(fixture.metrics.counter(.ingestEventsDropped, labels: ["reason": reason]).value == 1)
            #expect(fixture.log.lines.contains { $0.contains("event dropped") && $0.contains("sport") })
        }
    }

    @Test func valuesThatAreNoStringsAndThoseThatAreTooManyDrop() async throws {
        try await IngestFixture.run { fixture in
            let bodies = [
                (#"{"msg":7}"#, "invalid_value"), (#"{"msg":null}"#, "invalid_value"),
                ("{" + (0...512).map { #""data.\#($0)":"x""# }.joined(separator: ",") + "}", "too_many"),
                ("{" + (0...256).map { #""data.\#($0)":"x""# }.joined(separator: ",") + "}", "too_many"),
                ("{" + (0...128).map { #""msg.\#($0)":"x""# }.joined(separator: ",") + "}", "too_many"),
                (#"{"msg":"\#(String(repeating: "x", count: 4_090))"}"#, "payload"),
                (
                    #"{"msg":"${var.a}${var.a}${var.a}","var.a":"\#(String(repeating: "x", count: 2_000))"}"#,
                    "invalid_value"
                ),
            ]
            for (body, reason) in bodies {
                let response = await fixture.json("POST", "/event/sport", json: body, as: .publisher)
                #expect(response.status == 204)
                #expect(response.headers["carillon-dropped"]?.hasPrefix("\(reason): ") == true, "\(response.headers)")
            }
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func theHeaderIsPrintableAndBounded() async throws {
        try await IngestFixture.run { fixture in
            let response = await post(fixture, form: "%C3%A9%0D%0AX%3A1\(String(repeating: "y", count: 900))=x")
            let header = try #require(response.headers["carillon-dropped"])
            #expect(header.utf8.count <= EventDrop.headerBytesMaximum)
            #expect(header.utf8.allSatisfy { 0x20...0x7E ~= $0 })
            #expect(response.headers["x"] == nil)
        }
    }

    @Test func broadcastAndUnicast() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            #expect(await post(fixture, event: "unicast:\(id)", form: "msg=x").status == 204)
            let unicast = try #require(fixture.bus.tasks.first)
            let device = try #require(DeviceID(id))
            #expect(unicast.target.list == .entries([.device(device)]))
            #expect(unicast.target.audience == nil)
            let none = await post(fixture, event: "unicast:unknown", form: "msg=x")
            #expect(none.headers["carillon-dropped"]?.hasPrefix("subscriber: ") == true)
            // Refused before the body is looked at.
            let refused = await post(fixture, event: "broadcast", form: "tittle=x")
            #expect(refused.status == 403)
            #expect(refused.error == "Unauthorized")
            #expect(await post(fixture, event: "broadcast", form: "msg=x", as: .owner).status == 204)
            #expect(fixture.bus.tasks.last?.target.audience == .everyone)
        }
    }

    @Test func whatPushdRefusedIsRefused() async throws {
        try await IngestFixture.run { fixture in
            let name = await post(fixture, event: "a%20b", form: "msg=x")
            #expect(name.status == 400)
            #expect(name.error == "Invalid event name a b")
            let key = await post(fixture, form: "msg=x", as: .news)
            #expect(key.status == 403)
            #expect(key.error == "Unauthorized")
            #expect(await post(fixture, form: "msg=x", as: .app).status == 403)
            #expect(await fixture.json("POST", "/event/sport", json: "[", as: .publisher).status == 400)
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    /// The answer promises durability: pushd's publishers repeat what was refused.
    @Test func anEventThatIsNotDurableIsRefused() async throws {
        try await IngestFixture.run { fixture in
            fixture.percentUsed.change { $0 = 100 }
            #expect(await post(fixture, form: "msg=x").status == 503)
        }
    }
}
