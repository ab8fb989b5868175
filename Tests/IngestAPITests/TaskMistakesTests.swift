import JSONKit
import PushModel
import TaskModel
import TestSupport
import Testing

@testable import Apps
@testable import IngestAPI

/// The requests that `POST /v1/tasks` refuses, and its errors: the field, and what to do.
@Suite struct TaskMistakesTests {
    private static let target = #""audience":{"topic":"a"}"#
    private static let message = #""message":{"body":"x"}"#

    @Test(arguments: [
        ("{\(message)}", "", "no target; expected audience, users or devices"),
        ("{\(target)}", "", "no content; expected message, messages or payloads"),
        ("{\(message),\"users\":[]}", "", "no target; users and devices are empty"),
        (
            "{\(message),\"audience\":{}}", "audience",
            "expected exactly one of all, topic, not, all_of, any, audience, platform, language, app_version, seen, "
                + "registered, time_zone, user"
        ),
        ("{\(message),\"audience\":{\"all\":false}}", "audience.all", "expected true"),
        ("{\(message),\"audience\":{\"any\":[]}}", "audience.any", "expected an array of 1 to 256 elements"),
        ("{\(message),\"audience\":{\"any\":7}}", "audience.any", "expected an array of 1 to 256 elements"),
        ("{\(message),\"audience\":{\"any\":[\(topics(65))]}}", "audience", "names 65 topics (maximum 64)"),
        ("{\(message),\"audience\":{\"any\":[7]}}", "audience.any[0]", "expected an object, got a number"),
        ("{\(message),\"audience\":7}", "audience", "expected an object, got a number"),
        ("{\(message),\"audience\":{\"topics\":\"a\"}}", "audience.topics", "unknown field; did you mean topic?"),
        (
            "{\(message),\"audience\":{\"platform\":\"iOS\"}}", "audience.platform",
            "expected one of ios, android, web, windows, http"
        ),
        (
            "{\(message),\"audience\":{\"language\":\"f\"}}", "audience.language",
            "expected a language such as fr or pt-BR"
        ),
        ("{\(message),\"audience\":{\"app_version\":{}}}", "audience.app_version", "expected from, below or both"),
        (
            "{\(message),\"audience\":{\"app_version\":{\"from\":\"3\",\"below\":\"2.1\"}}}",
            "audience.app_version", "expected from to be lower than below"
        ),
        (
            "{\(message),\"audience\":{\"app_version\":{\"from\":\"v2\"}}}", "audience.app_version.from",
            "expected a version such as 2.10.1"
        ),
        ("{\(message),\"audience\":{\"seen\":{}}}", "audience.seen", "expected within, since or before"),
        (
            "{\(message),\"audience\":{\"seen\":{\"within\":\"30s\"}}}", "audience.seen.within",
            "expected a duration from 1m to 3650d, such as 30d"
        ),
        (
            "{\(message),\"audience\":{\"seen\":{\"within\":\"3d\",\"since\":\"2026-01-01T00:00:00Z\"}}}",
            "audience.seen.within", "cannot be combined with since; remove one of them"
        ),
        (
            "{\(message),\"audience\":{\"time_zone\":\"*/*\"}}", "audience.time_zone",
            "expected a time zone such as Europe/Berlin, or the start of some: Europe/*"
        ),
        ("{\(message),\"audience\":{\"user\":1}}", "audience.user", "expected true or false"),
        (
            "{\(message),\"audience\":{\"topic\":\"a\\u0007\"}}", "audience.topic",
            "expected a topic of 1 to 256 bytes without control characters"
        ),
        (
            "{\(message),\"users\":[\"a\",7]}", "users[1]",
            "expected a string of 1 to 256 bytes without control characters"
        ),
        (
            "{\(message),\"devices\":[\"x\"]}", "devices[0]",
            "expected a subscriber id as returned by its registration"
        ),
        ("{\(target),\"message\":{}}", "message", "expected a title, a body, data, a badge or silent"),
        ("{\(message),\"adience\":{\"all\":true}}", "adience", "unknown field; did you mean audience?"),
        ("{\(target),\"mesage\":{\"body\":\"x\"}}", "mesage", "unknown field; did you mean message?"),
        (
            "{\(target),\"platforms\":[\"ios\",\"android\"]}", "",
            "no content; expected message, messages or payloads"
        ),
        ("{\(target),\"message\":7}", "message", "expected an object, got a number"),
        ("{\(target),\"message\":{\"badge\":\"x\"}}", "message.badge", badgeRule),
        (
            "{\(target),\"message\":{\"body\":\"x\",\"image\":\"https://x:0/a.png\"}}", "message.image",
            "expected an https URL of at most 2048 bytes"
        ),
        (
            "{\(target),\"message\":{\"body\":\"x\",\"url\":\"http://x.example/\"}}", "message.url",
            "expected an https URL of at most 2048 bytes"
        ),
        (
            "{\(target),\"payloads\":{\"web\":{\"notification\":{\"body\":\"x\"}}}}",
            "payloads.web.notification.title", "missing; expected a text that is not empty"
        ),
        (
            "{\(target),\"payloads\":{\"windows\":{\"toast\":{}}}}", "payloads.windows.toast",
            "unknown field; use data and notification"
        ),
        (
            "{\(target),\"message\":{\"body\":\"x\",\"titel\":\"x\"}}", "message.titel",
            "unknown field; did you mean title?"
        ),
        (
            "{\(target),\"message\":{\"body\":\"${var.name}\"}}", "message.body",
            "unknown variable ${var.name}; add it to variables"
        ),
        (
            "{\(target),\(message),\"platforms\":[\"tv\"]}", "platforms[0]",
            "expected one of ios, android, web, windows, http"
        ),
        ("{\(target),\(message),\"platforms\":[]}", "platforms", "expected an array of 1 to 5 elements"),
        ("{\(target),\(message),\"platforms\":\"ios\"}", "platforms", "expected an array of 1 to 5 elements"),
        (
            "{\(target),\"platforms\":[\"ios\"],\"payloads\":{\"ios\":7}}", "payloads.ios", "expected an object"
        ),
        (
            "{\(target),\(message),\"platforms\":[\"ios\"],\"payloads\":{\"android\":{\"data\":{\"a\":\"b\"}}}}",
            "payloads.android", "platform not listed in platforms; list it or remove the payload"
        ),
        (
            "{\(target),\"platforms\":[\"ios\",\"android\"],\"payloads\":{\"ios\":{\"aps\":{}}}}", "platforms",
            "no payload or message for android; add one or remove the platform"
        ),
        ("{\(target),\"payloads\":{\"ios\":{}}}", "payloads.ios.aps", "missing; expected an object"),
        (
            "{\(target),\"messages\":{}}", "messages",
            "expected a message for one of ios, android, web, windows, http"
        ),
        (
            "{\(target),\"messages\":{\"tv\":{\"body\":\"x\"}}}", "messages.tv",
            "unknown field; there are: ios, android, web, windows, http"
        ),
        (
            "{\(target),\"messages\":{\"ios\":{}}}", "messages.ios",
            "expected a title, a body, data, a badge or silent"
        ),
        (
            "{\(target),\"messages\":{\"ios\":{\"body\":\"x\",\"titel\":\"x\"}}}", "messages.ios.titel",
            "unknown field; did you mean title?"
        ),
        (
            "{\(target),\"messages\":{\"web\":{\"body\":\"x\",\"ios\":{\"thread\":\"x\"}}}}", "messages.web.ios",
            "has no effect on web; move it to messages.ios"
        ),
        (
            "{\(target),\"messages\":{\"android\":{\"body\":\"x\",\"android\":{\"banner\":\"http://x.example/\"}}}}",
            "messages.android.android.banner", "expected an https URL of at most 2048 bytes"
        ),
        (
            "{\(target),\"message\":{\"body\":\"x\",\"ios\":{\"attachments\":[{\"id\":\"1\",\"url\":\"ftp://x\"}]}}}",
            "message.ios.attachments[0].url", "expected an https URL of at most 2048 bytes"
        ),
        (
            "{\(target),\"message\":{\"body\":\"x\",\"android\":{\"priority\":3}}}", "message.android.priority",
            "expected an integer from -2 to 2"
        ),
        (
            "{\(target),\"message\":{\"body\":\"x\",\"android\":{\"color\":\"red\"}}}", "message.android.color",
            "expected a color such as #FF8000, or #80FF8000 with its opacity"
        ),
        (
            "{\(target),\"message\":{\"body\":\"x\",\"ios\":{\"time_to_live\":\"29d\"}}}", "message.ios.time_to_live",
            "expected a duration from 0s to 28d, such as 30m, 12h or 7d"
        ),
        (
            "{\(target),\(message),\"messages\":{\"ios\":{\"body\":\"${var.name}\"}}}", "messages.ios.body",
            "unknown variable ${var.name}; add it to variables"
        ),
        (
            "{\(target),\(message),\"platforms\":[\"android\"],\"messages\":{\"ios\":{\"body\":\"x\"}}}",
            "messages.ios", "platform not listed in platforms; list it or remove the message"
        ),
        (
            "{\(target),\"platforms\":[\"ios\",\"web\"],\"messages\":{\"ios\":{\"body\":\"x\"}}}", "platforms",
            "no payload or message for web; add one or remove the platform"
        ),
        ("{\(target),\"payloads\":{}}", "payloads", "expected a payload for one of ios, android, web, windows, http"),
        (
            "{\(target),\(message),\"options\":{\"time_to_live\":\"29d\"}}", "options.time_to_live",
            "expected a duration from 0s to 28d, such as 30m, 12h or 7d"
        ),
        (
            "{\(target),\(message),\"options\":{\"time_to_live\":60}}", "options.time_to_live",
            "expected a duration from 0s to 28d, such as 30m, 12h or 7d"
        ),
        (
            "{\(target),\(message),\"options\":{\"priority\":\"urgent\"}}", "options.priority",
            "expected high or normal"
        ),
        (
            "{\(target),\(message),\"options\":{\"ambiguous\":\"never\"}}", "options.ambiguous",
            "expected at_least_once or at_most_once"
        ),
        (
            "{\(target),\(message),\"variables\":{\"a\":1}}", "variables",
            "expected an object of at most 64 strings of at most 1024 bytes, with names of 1 to 64 bytes"
        ),
    ])
    func theFieldAndTheCureAreNamed(body: String, field: String, detail: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(response.status == 400, "\(response.text)")
            #expect(response.headers["content-type"] == "application/problem+json")
            let errors = response.json["errors"]?.elements ?? []
            #expect(errors.map { $0["field"] } == [.string(field)], "\(response.text)")
            #expect(errors.first?["detail"] == .string(detail))
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    private static let badgeRule = "expected \"increment\" or an integer from 0 to 999999999"

    private static func topics(_ count: Int) -> String {
        (0..<count).map { "{\"topic\":\"t\($0)\"}" }.joined(separator: ",")
    }

    @Test func allMistakesAreReportedTogether() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/tasks",
                json:
                    #"{"audience":{"topics":"a"},"message":{"image":"http://x"},"options":{"priority":1},"adience":{}}"#,
                as: .publisher)
            let fields = (response.json["errors"]?.elements ?? []).compactMap { $0["field"]?.text }
            #expect(
                Set(fields) == ["audience.topics", "message.image", "options.priority", "adience"])
            #expect(fields.count == 4)
            #expect(response.json["type"] == .string("urn:carillon:invalid-fields"))
            #expect(response.json["status"] == .integer(400))
        }
    }

    /// Goal: a payload over a provider's limit is refused here, in whichever language.
    @Test func whatIsTooLargeForAProviderIsRefused() async throws {
        try await IngestFixture.run { fixture in
            let long = String(repeating: "x", count: 4_000)
            for body in [
                #"{"audience":{"topic":"a"},"message":{"body":{"default":"x","fr":"\#(long)"},"title":"\#(long.prefix(200))"}}"#,
                #"{"audience":{"topic":"a"},"payloads":{"ios":{"aps":{"alert":"\#(long)"},"a":"\#(long.prefix(100))"}}}"#,
            ] {
                let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
                #expect(response.status == 400)
                #expect(response.text.contains("4096"), "\(response.text)")
            }
        }
    }

    /// Goal: the limit of a provider that the app does not have does not apply. Method: quotation marks, which take two
    /// bytes for Google and four for Huawei, whose data is JSON within JSON.
    @Test func onlyTheAppsOwnProvidersBoundATask() async throws {
        try await IngestFixture.run { fixture in
            let quotes = String(repeating: #"\""#, count: 1_500)
            let body = #"{"audience":{"topic":"a"},"payloads":{"android":{"data":{"k":"\#(quotes)"}}}}"#
            let taken = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(taken.status == 201, "\(taken.text)")
            let refused = await fixture.json(
                "POST", "/v1/tasks", json: body.replacing(quotes, with: quotes + quotes), as: .publisher)
            #expect((refused.json["errors"]?.elements ?? []).map { $0["field"] } == [.string("payloads.android")])
        }
    }

    /// A platform that the app cannot reach is checked if the task has a payload for it, or reaches no other.
    @Test func aPlatformWithoutAProviderIsCheckedIfItIsMeant() throws {
        var content = TaskContent()
        content.message = PushMessage()
        content.platforms = Set(Platform.allCases)
        var providers = ProviderCredentials()
        #expect(PayloadCheck.kinds(of: providers, for: content) == [.apns, .fcm, .webpush, .wns, .http])
        providers.huawei = HuaweiCredentials(
            clientID: "1", clientSecretFile: KeyFile(field: "client_secret_file", path: "key"), project: nil)
        #expect(PayloadCheck.kinds(of: providers, for: content) == [.huawei])
        content.payloads[.ios] = JSONObject()
        #expect(PayloadCheck.kinds(of: providers, for: content) == [.huawei, .apns])
        content.platforms = [.ios]
        content.payloads = [:]
        #expect(Set(PayloadCheck.kinds(of: providers, for: content)).isSuperset(of: [.huawei, .apns]))
    }

    /// Goal: a misspelled dry run does not send.
    @Test(arguments: [
        ("dryrun=true", "dryrun", "unknown query parameter; did you mean dry_run?"),
        ("dry_run=true&x=1", "x", "unknown query parameter; there are: dry_run"),
        ("dry_run=true&dry_run=false", "dry_run", "duplicate query parameter"),
        ("dry_run=yes", "dry_run", "expected true or false"),
        ("dry_run=%zz", "", "the query has a percent escape that is invalid or does not decode to text"),
    ])
    func aQueryIsReadStrictly(query: String, field: String, detail: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/tasks?\(query)", json: TaskCreationTests.small, as: .publisher)
            #expect(response.status == 400)
            #expect(response.json["errors"]?.elements?.map { $0["field"] } == [.string(field)], "\(response.text)")
            #expect(response.json["errors"]?.elements?.first?["detail"] == .string(detail))
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test(arguments: ["/v1/tasks?limits=5", "/v1/tasks/ID?x=1", "/v1/tasks/ID/report?x", "/v1/tasks/ID/devices/a?a=b"])
    func noRouteTakesAnUnknownQuery(path: String) async throws {
        try await IngestFixture.run { fixture in
            let path = path.replacing("ID", with: "00f5c216-ee53-4e29-af13-f109d5563a9e")
            #expect(await fixture.json("GET", path, as: .publisher).status == 400)
            #expect(
                await fixture.json("GET", path, headers: ["Authorization": "Bearer x"]).status == 401, "rights first")
        }
    }

    @Test func nullIsAbsentEverywhere() async throws {
        try await IngestFixture.run { fixture in
            let body = """
                {"audience":{"topic":"a","any":null},"users":null,"devices":null,"platforms":null,"variables":{"a":null},
                "message":{"title":null,"subtitle":null,"body":{"default":"x","fr":null},"data":null,"badge":null,
                "sound":null,"image":null,"category":null,"silent":null},
                "payloads":{"ios":{"aps":{"alert":{"title":"T","body":null},"sound":null,"badge":null},"own":null},
                "android":{"data":null,"notification":{"title":"T","icon":null}}},
                "options":{"collapse_id":null,"priority":null,"time_to_live":null,"ambiguous":null}}
                """
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(response.status == 201, "\(response.text)")
            let message = try #require(fixture.bus.tasks.first?.content.message)
            #expect(message.body?.translations.isEmpty == true)
            let payloads = try #require(fixture.bus.tasks.first?.content.payloads)
            #expect(payloads[.ios].map { JSON.object($0).compactText } == #"{"aps":{"alert":{"title":"T"}}}"#)
            #expect(payloads[.android].map { JSON.object($0).compactText } == #"{"notification":{"title":"T"}}"#)
        }
    }

    /// An error elsewhere does not hide that a platform has nothing to send.
    @Test func platformsAreCheckedBesideOtherMistakes() async throws {
        try await IngestFixture.run { fixture in
            let body = #"{"audience":{"topic":7},"platforms":["ios","android"],"payloads":{"ios":{"aps":{}}}}"#
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            let fields = (response.json["errors"]?.elements ?? []).compactMap { $0["field"]?.text }
            #expect(fields == ["audience.topic", "platforms"], "\(response.text)")
        }
    }

    @Test(arguments: [
        (#"{"audience":{"topic":"a"},"audience":{"all":true},"message":{"body":"x"}}"#, "audience"),
        (#"{"audience":{"topic":"a","topic":"b"},"message":{"body":"x"}}"#, "topic"),
        (#"{"audience":{"topic":"a"},"message":{"body":"x","body":"y"}}"#, "body"),
        (#"{"audience":{"topic":"a"},"message":{"body":"x","data":{"a":1,"\u0061":1}}}"#, "a"),
    ])
    func aNameStandsInAnObjectOnce(body: String, name: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(response.status == 400)
            #expect(
                response.detail == "The body is not valid JSON: duplicate name \(name) in an object.",
                "\(response.text)")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func aByteOrderMarkIsOneMistake() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/tasks", json: "\u{FEFF}" + TaskCreationTests.small, as: .publisher)
            #expect(response.status == 400)
            #expect(response.detail?.contains("byte order mark") == true, "\(response.text)")
        }
    }

    @Test(arguments: [
        ("{", "line 1, column 2"), ("[]", "must be a JSON object, not an array"), ("", "line 1, column 1"),
        ("{\"a\":\n 1,}", "line 2, column 4"),
    ])
    func invalidJSONIsReportedWithItsPosition(body: String, place: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(response.status == 400)
            #expect(response.detail?.contains(place) == true, "\(response.text)")
        }
    }

    @Test func bodiesAreJSON() async throws {
        try await IngestFixture.run { fixture in
            let form = await fixture.json(
                "POST", "/v1/tasks", json: "a=b", as: .publisher, headers: ["Content-Type": "text/plain"])
            #expect(form.status == 415)
            let untyped = await fixture.json(
                "POST", "/v1/tasks", json: TaskCreationTests.small, as: .publisher, headers: ["Content-Type": ""])
            #expect(untyped.status == 201)
        }
    }

    @Test func tooManyEntriesAreRefused() async throws {
        try await IngestFixture.run { fixture in
            let users = Array(repeating: "\"u\"", count: TaskLimits.entriesMaximum + 1).joined(separator: ",")
            let response = await fixture.json(
                "POST", "/v1/tasks", json: #"{"users":[\#(users)],"message":{"body":"x"}}"#, as: .publisher)
            #expect(response.status == 400)
            #expect(response.detail == "users: expected an array of at most 250000 elements")
        }
    }

    @Test func aTaskOverTheBoundOfAMessageIsRefused() async throws {
        try await IngestFixture.run { fixture in
            // Each of the texts alone is within the provider's limit.
            let texts = (0..<100).map { "\"l\($0)\":\"\(String(repeating: "x", count: 3_000))\"" }.joined(
                separator: ",")
            let body = #"{"audience":{"topic":"a"},"message":{"body":{"default":"x",\#(texts)}}}"#
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(response.status == 413, "\(response.text)")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func whoHasNoKeyIsNotHeard() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/tasks", json: "{", headers: ["Authorization": "Bearer nobody"])
            #expect(response.status == 401)
            #expect(response.headers["www-authenticate"]?.isEmpty == false)
            let other = await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .news)
            #expect(other.status == 403)
            #expect(other.detail == "The key has no scope publish for this app.")
        }
    }
}
