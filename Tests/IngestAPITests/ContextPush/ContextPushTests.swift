import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// Messages of ContextPush's API as in its documentation; where that leaves a choice, as in `docs/contextpush.md`.
@Suite struct ContextPushTests {
    /// The tasks of all accepted messages, those that wait first.
    private func tasks(_ fixture: IngestFixture) -> [PushTask] {
        fixture.bus.schedules.compactMap { record in
            guard case .task(let task) = record else { return nil }
            return task
        } + fixture.bus.tasks
    }

    @Test func thePagesSamplesAreTaken() async throws {
        let page = try #require(SourceTree.text("docs/contextpush.md"))
        let samples = MarkdownCode.blocks("json", inPage: page).filter { $0.contains("\"content\"") }
        #expect(samples.count >= 2)
        try await IngestFixture.run { fixture in
            for sample in samples {
                let response = await fixture.json(
                    "POST", ContextPushSamples.schedule, json: sample, as: .publisher)
                #expect(response.status == 200, "\(response.text)\n\(sample)")
            }
            #expect(tasks(fixture).count == samples.count)
        }
    }

    @Test func theTaskSaysWhatWasAsked() async throws {
        try await IngestFixture.run { fixture in
            let content = """
                {"title":"T","subtitle":"S","body":"B","sound":"sosumi.caf","badge":0,"userInfo":{"key":"value","n":1},
                "thread-id":"course","imageUrl":"https://example.com/a.png"}
                """
            let response = await fixture.schedule([
                "content": content, "delivery_method": #""context_aware""#, "idempotency_key": #""k""#,
            ])
            #expect(response.status == 200, "\(response.text)")
            let task = try #require(tasks(fixture).first)
            let ends = fixture.time.now + .seconds(3 * 3_600)
            #expect(response.json["status"] == .string("scheduled"))
            #expect(response.json["idempotency_key"] == .string("k"))
            #expect(response.json["message_id"] == .string("\(task.id)"))
            #expect(response.json["planned_delivery_method"] == .string("context_aware"))
            #expect(response.json["is_compared"] == .bool(false))
            #expect(response.json["deliver_until"] == .string("\(ends)"))
            let user = try Alias(.externalUser, value: "ada@example.com")
            #expect(task.dialect == .contextpush && task.target.audience == nil)
            #expect(task.target.list == .entries([.alias(user)]))
            #expect(
                task.window == DeliveryWindow(from: fixture.time.now, to: ends, user: user, method: .contextAware))
            #expect(task.sendAt == task.window?.latestRelease && fixture.bus.tasks.isEmpty)
            #expect(task.labels["campaign"] == "daily-reminder")
            #expect(task.options.timeToLive == .seconds(3_600))
            #expect(task.targetedPlatforms == [.ios])
            let message = try #require(task.content.message)
            #expect(message.title == LocalizedText("T") && message.subtitle == LocalizedText("S"))
            #expect(message.body == LocalizedText("B") && message.sound == "sosumi.caf" && message.badge == .set(0))
            #expect(message.image == nil, "it is in ctx_image_url")
            #expect(message.apple?.thread == "course" && message.apple?.isMutable == true)
            #expect(message.data["key"] == .string("value") && message.data["n"] == .integer(1))
            #expect(message.data["ctx_image_url"] == .string("https://example.com/a.png"))
            #expect(message.data["ctx_idempotency_key"] == .string("k"))
            #expect(task.reported["content"] == (try JSON(content)))
            #expect(task.reported["user_id"] == .string("ada@example.com"))
            #expect(task.reported["campaign_id"] == .string("daily-reminder"))
            #expect(task.reported["idempotency_key"] == .string("k"))
            #expect(task.reported["platform"] == .string("ios"))
            #expect(task.reported["bundle_id"] == .string("com.example.news"))
        }
    }

    /// An image is the notification's own on other platforms; nothing there needs an extension of the app.
    @Test func anImageHasOneNameOnEachPlatform() async throws {
        try await IngestFixture.run { fixture in
            let content = #"{"title":"T","body":"B","imageUrl":"https://example.com/a.png"}"#
            #expect(await fixture.schedule(["content": content, "platform": #""android""#]).status == 200)
            let message = try #require(tasks(fixture).first?.content.message)
            #expect(tasks(fixture).first?.targetedPlatforms == [.android])
            #expect(message.image == "https://example.com/a.png" && message.apple == nil)
            #expect(message.data.names == ["ctx_idempotency_key"])
        }
    }

    /// A message without an image is not mutable, and has the key in its payload all the same.
    @Test func aGeneratedKeyIsTheTasksId() async throws {
        try await IngestFixture.run { fixture in
            let first = await fixture.schedule(["delivery_method": #""traditional""#])
            let second = await fixture.schedule(["delivery_method": #""traditional""#])
            #expect(first.status == 200 && second.status == 200)
            #expect(fixture.bus.schedules.isEmpty && fixture.bus.tasks.count == 2, "each is sent at once")
            #expect(first.json["planned_delivery_method"] == .string("traditional"))
            for (response, task) in zip([first, second], fixture.bus.tasks) {
                let id = JSON.string("\(task.id)")
                #expect(response.json["idempotency_key"] == id && response.json["message_id"] == id)
                #expect(task.reported["idempotency_key"] == id && task.replaces == nil)
                #expect(task.content.message?.data["ctx_idempotency_key"] == id)
                #expect(task.content.message?.apple == nil)
            }
        }
    }

    /// Without a method users are divided; what the app and the campaign decide is the same for every message.
    @Test func withoutAMethodBothAreCompared() async throws {
        try await IngestFixture.run { fixture in
            var methods: Set<String> = []
            for number in 0..<32 {
                let user = #""user-\#(number)""#
                let response = await fixture.schedule(["user_id": user])
                #expect(response.json["is_compared"] == .bool(true), "\(response.text)")
                let method = try #require(response.json["planned_delivery_method"]?.text)
                #expect(await fixture.schedule(["user_id": user]).json["planned_delivery_method"] == .string(method))
                methods.insert(method)
            }
            #expect(methods == ["context_aware", "traditional"])
        }
    }

    @Test func theWindowEndsAtTheTargetTime() async throws {
        try await IngestFixture.run { fixture in
            let ends = fixture.time.now + .seconds(1_800)
            let response = await fixture.schedule([
                "deliver_within_hours": nil, "target_delivery_time": #""\#(ends)""#,
                "delivery_method": #""context_aware""#,
            ])
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json["deliver_until"] == .string("\(ends)"))
            #expect(tasks(fixture).first?.window?.ends == ends)
            #expect(tasks(fixture).first?.window?.opens == fixture.time.now)
        }
    }

    @Test func aTargetTimeIsWithinNinetyDays() async throws {
        try await IngestFixture.run { fixture in
            for (pause, detail) in [
                (Duration.seconds(-1), "is over"), (.zero, "is over"), (.seconds(90 * 86_400 + 1), "90 days"),
            ] {
                let response = await fixture.schedule([
                    "deliver_within_hours": nil, "target_delivery_time": #""\#(fixture.time.now + pause)""#,
                ])
                #expect(response.status == 400 && response.fields == ["target_delivery_time"], "\(response.text)")
                #expect(response.json["errors"]?.elements?[0]["message"]?.text?.contains(detail) == true)
            }
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func textsAreInTheLanguagesOfTheirUsers() async throws {
        try await IngestFixture.run { fixture in
            let content = """
                {"default_locale":"en","title":{"en":"Hello","de_AT":"Servus"},"subtitle":"${var.name} $5",
                "body":{"de-at":"${data.x}","en":"It is time"}}
                """
            let response = await fixture.schedule(["content": content])
            #expect(response.status == 200, "\(response.text)")
            let sent = try #require(tasks(fixture).first?.content)
            #expect(sent.message?.title == LocalizedText("Hello", translations: ["en": "Hello", "de-at": "Servus"]))
            #expect(sent.message?.body?.text(for: "en-GB") == "It is time")
            #expect(sent.message?.body?.text(for: "sv") == "It is time")
            // What looks like a variable is sent as it is.
            #expect(sent.message?.subtitle == LocalizedText("${var.subtitle}"))
            #expect(sent.variables == ["subtitle": "${var.name} $5", "body.de-at": "${data.x}"])
            #expect(sent.message?.body?.text(for: "de-AT") == "${var.body.de-at}")
        }
    }

    @Test(arguments: [
        (
            #"{"title":{"en":"a","de":"b"},"body":{"en":"c"},"default_locale":"en"}"#, ["content.body"],
            "no text for the locale de"
        ),
        (
            #"{"title":{"en":"a"},"body":{"en":"c","de":"d"},"subtitle":{"fr":"s"},"default_locale":"en"}"#,
            ["content.title", "content.title", "content.subtitle", "content.subtitle", "content.body"],
            "no text for the locale de"
        ),
        (
            #"{"title":{"en":"a"},"body":{"en":"c"},"default_locale":"de"}"#, ["content.default_locale"],
            "no text for the locale de"
        ),
        (#"{"title":{"en":"a"},"body":"c"}"#, ["content.default_locale"], "missing"),
        (#"{"title":{"en":"a"},"body":"c","default_locale":7}"#, ["content.default_locale"], "expected a locale"),
        (
            #"{"title":{"en":"a","EN":"b"},"body":"c","default_locale":"en"}"#, ["content.title.EN"],
            "same locale as another"
        ),
        (
            #"{"title":{"default":"a"},"body":"c","default_locale":"en"}"#, ["content.title.default"],
            "expected a locale"
        ),
        (#"{"title":{"é":"a"},"body":"c","default_locale":"en"}"#, ["content.title.é"], "expected a locale"),
        (#"{"title":{"en":7},"body":"c","default_locale":"en"}"#, ["content.title.en"], "expected a string"),
        (#"{"title":{"en":""},"body":"c","default_locale":"en"}"#, ["content.title.en"], "expected a string"),
        (#"{"title":{"en":null},"body":"c","default_locale":"en"}"#, ["content.title.en"], "expected a string"),
        (#"{"title":{},"body":"c"}"#, ["content.title"], "or an object of 1 to 128"),
    ])
    func textsNeedTheSameLocales(content: String, fields: [String], detail: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.schedule(["content": content])
            #expect(response.status == 400 && fixture.bus.sent.isEmpty)
            let errors = response.json["errors"]?.elements ?? []
            #expect(errors.contains { $0["field"] == .string(fields[0]) }, "\(response.text)")
            if content.contains("subtitle") || fields[0] != "content.default_locale" {
                #expect(errors.filter { $0["field"] != .string("content.default_locale") }.count == fields.count)
            }
            #expect(errors.first?["message"]?.text?.contains(detail) == true, "\(response.text)")
        }
    }

    private static let bothOrNeither = "exactly one of deliver_within_hours and target_delivery_time"

    private static let mistakes: [([String: String?], String, String)] = [
        (["bundle_id": nil], "bundle_id", "missing"), (["bundle_id": "7"], "bundle_id", "expected a string"),
        (["platform": nil], "platform", "missing; expected one of ios, android"),
        (["platform": #""iOS""#], "platform", "expected one of ios, android"),
        (["user_id": nil], "user_id", "missing"), (["user_id": "7"], "user_id", "expected a string of 1 to 256 bytes"),
        (["user_id": #""a\nb""#], "user_id", "without control characters"),
        (["campaign_id": nil], "campaign_id", "missing"), (["campaign_id": #""""#], "campaign_id", "1 to 64 bytes"),
        (["campaign_id": #""\#(String(repeating: "c", count: 65))""#], "campaign_id", "1 to 64 bytes"),
        (["idempotency_key": #""""#], "idempotency_key", "1 to 256 bytes"),
        (["idempotency_key": "7"], "idempotency_key", "1 to 256 bytes"),
        (["idempotency_key": #""\#(String(repeating: "k", count: 257))""#], "idempotency_key", "1 to 256 bytes"),
        (["delivery_method": #""compare""#], "delivery_method", "expected context_aware or traditional"),
        (["deliver_within_hours": nil], "deliver_within_hours", bothOrNeither),
        (["target_delivery_time": #""2030-01-01T00:00:00Z""#], "deliver_within_hours", bothOrNeither),
        (["deliver_within_hours": "0"], "deliver_within_hours", "expected an integer from 1 to 2160"),
        (["deliver_within_hours": "-1"], "deliver_within_hours", "expected an integer from 1 to 2160"),
        (["deliver_within_hours": "1000000000"], "deliver_within_hours", "expected an integer from 1 to 2160"),
        (["deliver_within_hours": "1e400"], "", "JSON"),
        (["deliver_within_hours": #""3""#], "deliver_within_hours", "expected an integer from 1 to 2160"),
        (["deliver_within_hours": "1.5"], "deliver_within_hours", "expected an integer from 1 to 2160"),
        (
            ["deliver_within_hours": nil, "target_delivery_time": #""2030-01-01""#], "target_delivery_time",
            "expected a time with a zone"
        ),
        (
            ["deliver_within_hours": nil, "target_delivery_time": "1"], "target_delivery_time",
            "expected a time with a zone"
        ),
        (["content": nil], "content", "missing"), (["content": "7"], "content", "expected an object"),
        (["content": #"{"body":"B"}"#], "content.title", "missing"),
        (["content": #"{"title":"T"}"#], "content.body", "missing"),
        (["content": #"{"title":"","body":"B"}"#], "content.title", "1 to 4096 bytes"),
        (["content": #"{"title":"T","body":["B"]}"#], "content.body", "1 to 4096 bytes"),
        (["content": #"{"title":"T","body":"B","sound":1}"#], "content.sound", "expected a string"),
        (["content": #"{"title":"T","body":"B","badge":-1}"#], "content.badge", "expected an integer from 0"),
        (["content": #"{"title":"T","body":"B","badge":"1"}"#], "content.badge", "expected an integer from 0"),
        (["content": #"{"title":"T","body":"B","userInfo":[]}"#], "content.userInfo", "at most 254 members"),
        (
            ["content": #"{"title":"T","body":"B","userInfo":{"ctx_image_url":"x"}}"#],
            "content.userInfo.ctx_image_url", "reserved name"
        ),
        (["content": #"{"title":"T","body":"B","userInfo":{"aps":{}}}"#], "content.userInfo.aps", "reserved name"),
        (
            ["platform": #""android""#, "content": #"{"title":"T","body":"B","userInfo":{"from":"x"}}"#],
            "content.userInfo.from", "reserved by Google"
        ),
        (["content": #"{"title":"T","body":"B","thread-id":1}"#], "content.thread-id", "expected a string"),
        (
            ["content": #"{"title":"T","body":"B","imageUrl":"http://example.com/a.png"}"#], "content.imageUrl",
            "expected an https URL"
        ),
        (["content": #"{"title":"T","body":"B","image":"x"}"#], "content.image", "unknown field"),
        (["campain_id": #""c""#], "campain_id", "did you mean campaign_id?"),
        (["contents": "{}", "content": nil], "contents", "did you mean content?"),
        (
            ["content": #"{"title":"T","body":"\#(String(repeating: "x", count: 4_096))"}"#], "content",
            "too long"
        ),
    ]

    @Test(arguments: mistakes)
    func everyFieldIsChecked(changes: [String: String?], field: String, detail: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.schedule(changes)
            #expect(response.status == 400 && fixture.bus.sent.isEmpty, "\(response.text)")
            #expect(response.headers["content-type"] == "application/json")
            #expect(response.error?.contains(detail) == true, "\(response.text)")
            guard !field.isEmpty else { return }
            #expect(response.fields == [field], "\(response.text)")
        }
    }

    /// Goal: what the app stores is what it reads back. Method: as many members as allowed, with both names of ours.
    @Test func asMuchDataAsAllowedIsStored() async throws {
        try await IngestFixture.run { fixture in
            for (count, status) in [(254, 200), (255, 400)] {
                let info = (0..<count).map { #""a\#($0)":1"# }.joined(separator: ",")
                let content =
                    #"{"title":"T","body":"B","imageUrl":"https://example.com/a.png","userInfo":{\#(info)}}"#
                let response = await fixture.schedule(["content": content])
                #expect(response.status == status, "\(response.text)")
            }
            #expect(tasks(fixture).first?.content.message?.data.members.count == 256)
        }
    }

    @Test func theAppIsChosenByItsBundle() async throws {
        try await IngestFixture.run { fixture in
            for name in ["com.example.shop", "news", "nobody"] {
                let answers = [
                    await fixture.schedule(["bundle_id": #""\#(name)""#]),
                    await fixture.cancelMessage(["bundle_id": #""\#(name)""#]),
                ]
                for response in answers {
                    #expect(response.status == 403)
                    #expect(response.text == #"{"error":"The key has no access to an app with this bundle_id."}"#)
                }
            }
            #expect(await fixture.schedule(["bundle_id": #""com.example.shop""#], as: .shop).status == 200)
            #expect(tasks(fixture).map(\.app.text) == ["shop"])
        }
    }

    @Test func othersAreAskedForAToken() async throws {
        try await IngestFixture.run { fixture in
            for path in [ContextPushSamples.schedule, ContextPushSamples.cancel] {
                for header in ["", "Token", "Token nobody", "Basic !"] {
                    let response = await fixture.json("POST", path, json: "{", headers: ["Authorization": header])
                    #expect(response.status == 401)
                    #expect(response.headers["www-authenticate"] == "Token realm=\"carillon\"")
                    #expect(response.text == #"{"error":"Send a valid key as Authorization: Token KEY."}"#)
                }
                #expect(await fixture.json("POST", path, json: "{", as: .news).status == 403)
                let text = await fixture.json(
                    "POST", path, json: "{}", as: .publisher, headers: ["Content-Type": "text/plain"])
                #expect(text.status == 415 && text.error != nil)
                #expect(await fixture.json("GET", path, as: .publisher).status == 405)
                let query = await fixture.json("POST", "\(path)?dry_run=true", json: "{}", as: .publisher)
                #expect(query.status == 400 && query.fields == ["dry_run"])
            }
            let token = await fixture.json(
                "POST", ContextPushSamples.schedule, json: ContextPushSamples.message(),
                headers: ["Authorization": "Token \(fixture.secret(.publisher))"])
            #expect(token.status == 200, "\(token.text)")
        }
    }

    @Test func aFullStoreTakesNoMoreMessages() async throws {
        try await IngestFixture.run { fixture in
            fixture.percentUsed.withLock { $0 = 90 }
            let response = await fixture.schedule()
            #expect(response.status == 503 && response.headers["retry-after"] != nil)
            #expect(response.error?.isEmpty == false && fixture.bus.sent.isEmpty)
        }
    }

    @Test func tooManyRequestsAreAskedToWait() async throws {
        var limits = AppLimits()
        limits.requestsPerSecond = 1
        try await IngestFixture.run(limits: limits) { fixture in
            #expect(await fixture.schedule().status == 200)
            let response = await fixture.schedule()
            #expect(response.status == 429 && response.headers["retry-after"] == "1")
            #expect(response.headers["ratelimit"] != nil && response.error?.contains("rate limit") == true)
        }
    }

    @Test func aMessageForAPlatformWithoutAProviderIsWarnedOf() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.schedule(["platform": #""windows""#])
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json["warnings"]?.elements?.map { $0["field"] } == [.string("platform")])
        }
    }
}
