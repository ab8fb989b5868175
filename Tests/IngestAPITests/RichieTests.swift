import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// Richie's Push API as in its documentation; where that leaves a choice, as in `docs/richie.md`.
@Suite struct RichieTests {
    static let path = "/push/v2/admin/task"

    private func post(
        _ fixture: IngestFixture, body: String, as key: IngestFixture.Key = .owner, headers: [String: String] = [:]
    ) async -> RawClient.Response {
        await fixture.json("POST", Self.path, json: body, as: key, headers: headers)
    }

    private static func request(_ ios: String?, android: String? = nil, target: String = #""topics":["food"]"#)
        -> String
    {
        let payloads = [ios.map { #""ios":\#($0)"# }, android.map { #""android":\#($0)"# }].compactMap { $0 }
        return #"{"app_id":"example-news",\#(target),"payloads":{\#(payloads.joined(separator: ","))}}"#
    }

    /// The samples of the page, with the resulting payloads and the fields that the report repeats.
    @Test func thePagesSamplesAreTaken() async throws {
        let page = try #require(SourceTree.text("docs/richie.md"))
        let samples = MarkdownCode.blocks("json", inPage: page)
        #expect(samples.count >= 3)
        try await IngestFixture.run { fixture in
            for sample in samples {
                let response = await post(fixture, body: sample)
                #expect(response.status == 201, "\(response.text)\n\(sample)")
            }
            #expect(fixture.bus.tasks.count == samples.count)
        }
    }

    @Test func theTaskSaysWhatWasAsked() async throws {
        try await IngestFixture.run { fixture in
            let response = await post(
                fixture,
                body: """
                    {"app_id":"example-news","topics":["breaking-news","sports"],"payloads":{
                     "ios":{"aps":{"alert":{"title":"T","body":"B","publisher-item-id":"100200"},"content-available":1,
                      "issue-guid":"2258b0e6-6748-46c2-8e67-0893c0542fbb","issue-page":10}},
                     "android":{"data":{"title":"T","body":"B","custom_key":"v"}}}}
                    """, as: .publisher)
            #expect(response.status == 201, "\(response.text)")
            let task = try #require(fixture.bus.tasks.first)
            let id = JSON.string("\(task.id)")
            #expect(response.text == #"{"task_id":"\#(task.id)"}"#)
            #expect(response.headers["location"] == "/apps/news/v1/tasks/\(task.id)")
            #expect(task.dialect == .richie)
            #expect(
                try task.target.audience == .any([.topic(TopicName("breaking-news")), .topic(TopicName("sports"))]))
            #expect(task.options.timeToLive == .seconds(3_600))
            let ios = task.content.payloads[.ios]
            #expect(ios?["aps"]?["task_id"] == id)
            #expect(ios?["aps"]?["alert"]?["publisher-item-id"] == .string("100200"))
            #expect(ios?["aps"]?["content-available"] == .integer(1))
            #expect(ios?["aps"]?["issue-page"] == .integer(10))
            #expect(task.content.payloads[.android]?["data"]?["task_id"] == id)
            #expect(task.content.targetedPlatforms == [.ios, .android])
            #expect(task.reported["app_id"] == .string("example-news"))
            #expect(task.reported["topics"] == .array([.string("breaking-news"), .string("sports")]))
            #expect(task.reported["payloads"]?["ios"]?["aps"]?["task_id"] == id)
            #expect(task.reported["payloads"]?["android"]?["data"]?["custom_key"] == .string("v"))
            let status = await fixture.json("GET", response.headers["location"] ?? "", as: .publisher)
            #expect(status.json["id"] == id)
        }
    }

    /// Goal: both documented layouts of the keys have the same effect on devices; the report repeats the posted one.
    @Test func bothLayoutsReachDevicesAsOne() async throws {
        try await IngestFixture.run { fixture in
            for data in [#"{"alert":{"title":"T","body":"B"}}"#, #"{"title":"T","body":"B"}"#] {
                #expect(await post(fixture, body: Self.request(nil, android: #"{"data":\#(data)}"#)).status == 201)
            }
            let tasks = fixture.bus.tasks
            #expect(tasks.count == 2)
            for task in tasks {
                #expect(task.content.payloads[.android]?["data"]?["body"] == .string("B"))
                #expect(task.content.payloads[.android]?["data"]?["task_id"] == .string("\(task.id)"))
                #expect(task.content.payloads[.android]?["data"]?["alert"] == nil)
                #expect(task.content.targetedPlatforms == [.android])
            }
            let reported = tasks.first?.reported["payloads"]?["android"]?["data"]
            #expect(reported?["alert"]?["title"] == .string("T"))
            #expect(reported?["task_id"] == tasks.first.map { .string("\($0.id)") })
        }
    }

    @Test func usersAreTargetedByTheirNames() async throws {
        try await IngestFixture.run { fixture in
            let body = Self.request(
                #"{"aps":{"alert":{"body":"B"}}}"#, android: nil,
                target: #""external_user_ids":["abcde...","12345..."]"#)
            #expect(await post(fixture, body: body, as: .publisher).status == 201)
            let task = try #require(fixture.bus.tasks.first)
            #expect(task.target.audience == nil)
            let users = try ["abcde...", "12345..."].map { TargetEntry.alias(try Alias(.externalUser, value: $0)) }
            #expect(task.target.list == .entries(users))
            #expect(task.reported.names == ["app_id", "payloads"], "only reported fields are stored for the report")
        }
    }

    /// Apple's own alert keys are passed on, and `loc-key` replaces a body; nulls are removed from payload and report.
    @Test func applesKeysReachTheDevice() async throws {
        try await IngestFixture.run { fixture in
            let alert = """
                {"loc-key":"GOAL","loc-args":["2","1"],"title-loc-key":"T","title-loc-args":[],"subtitle-loc-key":"S",
                "subtitle-loc-args":["x"],"launch-image":"l.png","tab-id":null,"custom":null}
                """
            #expect(
                await post(fixture, body: Self.request("{\"aps\":{\"alert\":\(alert),\"sound\":null}}")).status == 201)
            let task = try #require(fixture.bus.tasks.first)
            let sent = task.content.payloads[.ios]?["aps"]?["alert"]
            #expect(sent?["loc-args"] == .array([.string("2"), .string("1")]))
            #expect(
                sent?.object?.names == [
                    "loc-key", "loc-args", "title-loc-key", "title-loc-args", "subtitle-loc-key", "subtitle-loc-args",
                    "launch-image",
                ])
            #expect(task.content.payloads[.ios]?["aps"]?.object?.names == ["alert", "task_id"])
            #expect(task.reported["payloads"]?["ios"]?["aps"]?["alert"] == sent)
        }
    }

    /// Goal: the document and the server accept the same addresses. Method: each address is checked with both.
    @Test(arguments: [
        ("https://example.com/news?a=1#b", true), ("HTTPS://EXAMPLE.COM", true), ("https://example.com:8443/", true),
        ("https://pää.fi/uutiset", true), ("https://[::1]/", true), ("https://example.com.", true),
        ("http://example.com", false), ("https://", false), ("https:///x", false), ("https://example.com:0/", false),
        ("https://example.com:65536/", false), ("https://a..b/", false), ("https://user@example.com/", false),
        ("https://[example.com]/", false), ("https://example.com/a b", false), ("https://[::1/", false),
    ])
    func theDocumentAndTheServerTakeTheSameAddresses(address: String, isOne: Bool) async throws {
        let document = try #require(SourceTree.text("docs/api/openapi.yaml"))
        let line = try #require(
            document.split(separator: "\n").drop { !$0.contains("    WebAddress:") }
                .first { $0.contains("pattern: '") })
        let pattern = line.split(separator: "'")[1]
        let matches = try Regex(String(pattern)).firstMatch(in: address) != nil
        #expect(matches == isOne)
        try await IngestFixture.run { fixture in
            let name = JSON.string(address).compactText
            let response = await post(
                fixture,
                body: Self.request(nil, android: "{\"data\":{\"body\":\"B\",\"external-browser-url\":\(name)}}"))
            #expect(response.status == (isOne ? 201 : 400), "\(response.text)")
        }
    }

    @Test func allUsersTakesTheScopeForIt() async throws {
        try await IngestFixture.run { fixture in
            let body = Self.request(
                #"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""topics":["all_users","food"]"#)
            #expect(await post(fixture, body: body, as: .publisher).status == 403)
            #expect(await post(fixture, body: body).status == 201)
            #expect(fixture.bus.tasks.map(\.target.audience) == [.everyone])
            #expect(fixture.bus.tasks.first?.reported["topics"] == .array([.string("all_users"), .string("food")]))
        }
    }

    /// Goal: the error for the first sample of Richie's documentation, which is invalid JSON, names the position.
    /// Method: the published sample, line by line.
    @Test func thePublishedSampleIsAnsweredWithItsErrors() async throws {
        try await IngestFixture.run { fixture in
            let sample = """
                {
                  "app_id": "your-app-id",
                  "topics": ["breaking-news"],
                  "payloads": {
                    "ios": {
                      "aps": {
                        "alert": {
                          "title": "Push Notification Title for iOS",
                          "publisher-item-id": "100200",
                        },
                        "content-available": 1
                        "issue-page": 10
                      }
                    }
                  }
                }
                """
            let response = await post(fixture, body: sample)
            #expect(response.status == 400)
            #expect(response.detail?.contains("line 10, column 9") == true, "\(response.text)")
            let mended = sample.replacing("\"100200\",", with: "\"100200\"")
            #expect(await post(fixture, body: mended).detail?.contains("line 12, column 9") == true)
        }
    }

    static let addressRule = "expected an absolute https URL of at most 2048 bytes"

    @Test(arguments: [
        (#"{"title":"T"}"#, "body", "missing; expected a non-empty string"),
        (#"{"body":""}"#, "body", "expected a non-empty string"),
        (#"{"body":"B","title":1}"#, "title", "expected a string"),
        (#"{"body":"B","external-browser-url":"http://x.fi"}"#, "external-browser-url", addressRule),
        (#"{"body":"B","external-browser-url":"https:///x"}"#, "external-browser-url", addressRule),
        (#"{"body":"B","external-browser-url":"https://x y"}"#, "external-browser-url", addressRule),
        (#"{"body":"B","external-browser-url":"https://x.fi:70000/"}"#, "external-browser-url", addressRule),
        (#"{"body":"B","external-browser-url":"https://[x.fi]/"}"#, "external-browser-url", addressRule),
        (#"{"body":"B","external-browser-url":"https://x..fi/"}"#, "external-browser-url", addressRule),
        (#"{"body":"B","issue-guid":"x"}"#, "issue-guid", "expected a UUID"),
        (#"{"body":"B","issue-guid":"2258b0e6674846c28e670893c0542fbb"}"#, "issue-guid", "expected a UUID"),
        (#"{"body":"B","issue-title":"x","issue-page":"10"}"#, "issue-page", "expected an integer from 1"),
        (#"{"body":"B","issue-title":"x","issue-page":0}"#, "issue-page", "expected an integer from 1"),
        (#"{"body":"B","issue-title":"x","issue-page":1.5}"#, "issue-page", "expected an integer from 1"),
        (#"{"body":"B","my-key":"v"}"#, "my-key", "unknown key; additional keys cannot have dashes"),
        (#"{"body":"B","isue-page":1}"#, "isue-page", "did you mean issue-page?"),
        (#"{"body":"B","extra":{"a":1}}"#, "extra", "nested keys are not supported"),
        (#"{"body":"B","extra":[1]}"#, "extra", "nested keys are not supported"),
        (#"{"body":null}"#, "body", "missing;"),
        (#"{"body":"B","task_id":"x"}"#, "task_id", "set by the service"),
        (#"{"body":"B","content-available":1}"#, "content-available", "only for iOS, directly under aps"),
    ])
    func everyRuleIsTheSameInEveryPlace(keys: String, name: String, detail: String) async throws {
        try await IngestFixture.run { fixture in
            for (payload, path) in [
                (Self.request(#"{"aps":{"alert":\#(keys)}}"#), "payloads.ios.aps.alert"),
                (Self.request(nil, android: #"{"data":\#(keys)}"#), "payloads.android.data"),
                (Self.request(nil, android: #"{"data":{"alert":\#(keys)}}"#), "payloads.android.data.alert"),
            ] {
                let response = await post(fixture, body: payload)
                #expect(response.status == 400)
                let errors = response.json["errors"]?.elements ?? []
                #expect(errors.map { $0["field"] } == [.string("\(path).\(name)")], "\(response.text)")
                #expect(errors.first?["detail"]?.text?.contains(detail) == true, "\(response.text)")
            }
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test(arguments: [
        (#"{"app_id":"example-news","topics":["a"]}"#, "payloads", "missing"),
        (
            #"{"app_id":"example-news","topics":["a"],"payloads":{}}"#, "payloads",
            "expected a payload for ios or android"
        ),
        (request(#"{"aps":{}}"#), "payloads.ios.aps.alert", "missing"),
        (request(#"{"aps":{"alert":"B"}}"#), "payloads.ios.aps.alert", "expected an object, got a string"),
        (request(#"{"aps":null}"#), "payloads.ios.aps", "missing"),
        (request("7"), "payloads.ios", "expected an object"),
        (
            request(nil, android: #"{"data":{"alert":"B"}}"#), "payloads.android.data.alert",
            "expected an object, got a string"
        ),
        (request(#"{"aps":{"alrt":{"body":"B"}}}"#), "payloads.ios.aps.alrt", "unknown field; did you mean alert?"),
        (
            request(#"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""topic":["a"]"#), "topic",
            "did you mean topics?"
        ),
        (
            #"{"app_id":"example-news","topics":["a"],"payload":{"ios":{"aps":{"alert":{"body":"B"}}}}}"#, "payload",
            "did you mean payloads?"
        ),
        (
            request(#"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""topics":7,"external_user_ids":["u"]"#),
            "topics",
            "expected an array of 1 to 64"
        ),
        (request(#"{"aps":7}"#), "payloads.ios.aps", "expected an object, got a number"),
        (
            #"{"app_id":"example-news","topics":["a"],"payloads":{"iOS":{"aps":{"alert":{"body":"B"}}}}}"#,
            "payloads.iOS", "unknown field; there are: ios, android"
        ),
        (request(#"{"aps":{"alert":{"body":"B"},"badgee":1}}"#), "payloads.ios.aps.badgee", "did you mean badge?"),
        (
            request(#"{"aps":{"alert":{"body":"B"},"titel":"T"}}"#), "payloads.ios.aps.titel",
            "unknown field; there are: "
        ),
        (request(#"{"aps":{"alert":{"loc-args":["a"]}}}"#), "payloads.ios.aps.alert.body", "missing"),
        (
            request(#"{"aps":{"alert":{"body":"B","loc-args":"a"}}}"#), "payloads.ios.aps.alert.loc-args",
            "expected an array of strings"
        ),
        (
            request(#"{"aps":{"alert":{"loc-key":""}}}"#), "payloads.ios.aps.alert.loc-key",
            "expected a non-empty string"
        ),
        (
            request(nil, android: #"{"data":{"body":"B","loc-key":"a"}}"#), "payloads.android.data.loc-key",
            "unknown key"
        ),
        (
            #"{"app_id":"example-news","topics":["a"],"topics":["b"],"payloads":{}}"#, "",
            "duplicate name topics in an object"
        ),
        (request(#"{"alert":{"body":"B"},"aps":{"alert":{"body":"B"}}}"#), "payloads.ios.alert", "unknown field"),
        (
            request(#"{"aps":{"alert":{"body":"B"},"title":"T"}}"#), "payloads.ios.aps.title",
            "wrong place; move it into aps.alert"
        ),
        (
            request(#"{"aps":{"alert":{"body":"B"},"content-available":2}}"#), "payloads.ios.aps.content-available",
            "expected an integer from 0 to 1"
        ),
        (
            request(#"{"aps":{"alert":{"body":"B","issue-title":"x"},"issue-title":"y"}}"#),
            "payloads.ios.aps.issue-title",
            "also set in payloads.ios.aps.alert; keep only one of them"
        ),
        (
            request(nil, android: #"{"data":{"body":"B","from":"x"}}"#), "payloads.android.data.from",
            "reserved by Google"
        ),
        (request(nil, android: #"{"notification":{"body":"B"}}"#), "payloads.android.notification", "there are: data"),
        (request(nil, android: "{}"), "payloads.android.data", "missing"),
        (
            request(#"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""topics":[]"#), "topics",
            "expected an array of 1 to 64"
        ),
        (
            request(#"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""topics":"a""#), "topics",
            "expected an array of 1 to 64"
        ),
        (
            request(
                #"{"aps":{"alert":{"body":"B"}}}"#, android: nil,
                target: #""topics":[\#((0..<65).map { "\"t\($0)\"" }.joined(separator: ","))]"#),
            "topics", "expected an array of 1 to 64"
        ),
        (
            request(
                #"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""topics":["a"],"external_user_ids":["b"]"#),
            "topics",
            "expected exactly one of topics and external_user_ids"
        ),
        (
            request(#"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""external_user_ids":["b",""]"#),
            "external_user_ids[1]",
            "expected a string of 1 to 256 bytes"
        ),
        (
            request(#"{"aps":{"alert":{"body":"B"}}}"#, android: nil, target: #""topics":["a"],"topic":"b""#), "topic",
            "unknown field"
        ),
    ])
    func theRestIsCheckedToo(body: String, field: String, detail: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await post(fixture, body: body)
            #expect(response.status == 400)
            #expect(fixture.bus.sent.isEmpty)
            guard !field.isEmpty else {
                #expect(response.detail?.contains(detail) == true, "\(response.text)")
                return
            }
            let errors = response.json["errors"]?.elements ?? []
            #expect(errors.map { $0["field"] } == [.string(field)], "expected one error: \(response.text)")
            #expect(errors.first?["detail"]?.text?.contains(detail) == true, "\(response.text)")
        }
    }

    /// Goal: the limit of 4,096 bytes applies to the payload as sent, with the task's id. Method: a body that just
    /// fits, and one that is a byte longer.
    @Test func aPayloadHasItsBoundOnWhatIsSent() async throws {
        try await IngestFixture.run { fixture in
            let sent = #"{"aps":{"alert":{"body":""},"task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"}}"#
            let room = 4_096 - sent.utf8.count
            for (count, status) in [(room, 201), (room + 1, 400)] {
                let text = String(repeating: "x", count: count)
                let response = await post(fixture, body: Self.request(#"{"aps":{"alert":{"body":"\#(text)"}}}"#))
                #expect(response.status == status, "\(response.text)")
                if status == 400 {
                    #expect(response.json["errors"]?.elements?.first?["field"] == .string("payloads.ios"))
                }
            }
            let android = await post(
                fixture,
                body: Self.request(nil, android: #"{"data":{"body":"\#(String(repeating: "x", count: 4_100))"}}"#))
            #expect(android.status == 400)
        }
    }

    @Test(arguments: [
        (#""publisher-item-id":"1","external-browser-url":"https://x.fi""#, ["external-browser-url"]),
        (#""publisher-item-id":"1","external-browser-url":"https://x.fi","tab-id":"t""#, []),
        (#""external-browser-url":"https://x.fi","tab-id":"t""#, []),
        (#""issue-page":2"#, ["issue-page"]), (#""issue-page":2,"issue-title":"x""#, []),
    ])
    func whatMayNotDoWhatWasMeantIsWarnedOf(keys: String, fields: [String]) async throws {
        try await IngestFixture.run { fixture in
            let response = await post(fixture, body: Self.request(#"{"aps":{"alert":{"body":"B",\#(keys)}}}"#))
            #expect(response.status == 201, "\(response.text)")
            let warnings = response.json["warnings"]?.elements ?? []
            #expect(warnings.map { $0["field"] } == fields.map { .string("payloads.ios.aps.alert.\($0)") })
            #expect((response.json["warnings"] == nil) == fields.isEmpty)
        }
    }

    @Test func theAppIsChosenByItsIdentifier() async throws {
        try await IngestFixture.run { fixture in
            let body = Self.request(#"{"aps":{"alert":{"body":"B"}}}"#)
            for name in ["example-shop", "news", "nobody"] {
                #expect(await post(fixture, body: body.replacing("example-news", with: name)).status == 404)
            }
            let missing = await post(fixture, body: body.replacing(#""app_id":"example-news","#, with: ""))
            #expect(missing.status == 400)
            #expect(missing.detail?.hasPrefix("app_id: missing") == true)
            #expect(
                await post(fixture, body: body.replacing("example-news", with: "example-shop"), as: .shop).status == 201
            )
            #expect(fixture.bus.tasks.map(\.app.text) == ["shop"])
        }
    }

    @Test func othersAreAskedForBasic() async throws {
        try await IngestFixture.run { fixture in
            for header in ["", "Basic !", "Bearer nobody"] {
                let response = await post(fixture, body: "{", headers: ["Authorization": header])
                #expect(response.status == 401)
                #expect(response.headers["www-authenticate"] == "Basic realm=\"carillon\", charset=\"UTF-8\"")
            }
            let body = Self.request(#"{"aps":{"alert":{"body":"B"}}}"#)
            #expect(await post(fixture, body: body, as: .news).status == 403)
        }
    }

    @Test func aRepeatWithAKeyHasTheSameTaskAndItsWarnings() async throws {
        try await IngestFixture.run { fixture in
            let body = Self.request(#"{"aps":{"alert":{"body":"B","issue-page":2}}}"#)
            let first = await post(fixture, body: body, headers: ["Idempotency-Key": "k"])
            let again = await post(fixture, body: body, headers: ["Idempotency-Key": "k"])
            #expect(first.status == 201)
            #expect(again.body == first.body)
            #expect(again.headers["idempotency-replayed"] == "true")
            #expect(fixture.bus.tasks.count == 1)
        }
    }
}
