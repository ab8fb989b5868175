import CommandKit
import HTTPServer
import JSONKit
import TestSupport
import Testing

@testable import Carillon

/// `carillon activities`, against a server that responds as documented.
@Suite(.timeLimit(.minutes(3))) struct ActivityCommandsTests {
    private static let sent = HTTPResponse.json(
        #"{"id":"order-7","task":"t1","due":"2026-01-31T12:00:01.000Z"}"#, status: .accepted)
    private static let target = ["--user", "ada", "--title", "Your order"]

    private let terminal = RecordedTerminal()
    private let folder = TemporaryDirectory("activity")

    private func run(_ words: String..., at server: TaskServer) async -> Int32 {
        await run(words, at: server)
    }

    private func run(_ words: [String], at server: TaskServer) async -> Int32 {
        let variables = ["CARILLON_URL": server.url, "CARILLON_KEY": "ck_1_secret"]
        return await CommandTree.carillon.run(
            ["activities"] + words, in: CommandContext(terminal: terminal, variables: variables))
    }

    private var rows: [String] {
        terminal.printed.map { $0.split(separator: " ").joined(separator: " ") }
    }

    private static func outline(_ id: String) -> String {
        #"{"id":"\#(id)","type":null,"state":"running","begun":"2026-01-31T12:00:00Z","changed":"2026-01-31T12:05:00Z"}"#
    }

    @Test func theListIsReadPageByPage() async throws {
        let first = (0..<100).map { Self.outline("a\($0)") }.joined(separator: ",")
        let answers = [
            #"{"activities":[\#(first)],"next":"x="}"#, #"{"activities":[\#(Self.outline("b"))],"next":"y"}"#,
        ]
        try await TaskServer.with(answers.map { .json($0) }) { server in
            #expect(await run("list", "--limit", "101", "--before", "w/", at: server) == 0)
            #expect(
                server.requests.map(\.target) == [
                    "GET /v1/activities?limit=100&before=w%2F", "GET /v1/activities?limit=1&before=x%3D",
                ])
            #expect(rows.count == 102 && rows[0] == "ACTIVITY TYPE STATE BEGUN CHANGED")
            #expect(rows.last == "b – running 2026-01-31T12:00:00Z 2026-01-31T12:05:00Z")
            #expect(terminal.complaints == ["more: carillon activities list --before y"])
        }
    }

    /// A page whose activities were all forgotten meanwhile is empty, though another follows.
    @Test func anEmptyPageEndsTheList() async throws {
        try await TaskServer.with([.json(#"{"activities":[],"next":"x"}"#)]) { server in
            #expect(await run("list", at: server) == 0)
            #expect(server.requests.map(\.target) == ["GET /v1/activities?limit=20"])
            #expect(terminal.printed == ["no activities"])
            #expect(terminal.complaints == ["more: carillon activities list --before x"])
        }
    }

    private static let activity = """
        {"id":"a/b","type":"Order","state":"running","started":true,"updates":"tokens","mirror":false,
        "attributes":{"number":7},"begun":"2026-01-31T12:00:00Z","changed":"2026-01-31T12:05:00Z","ended":null,
        "content_state":{"step":2},"stale_date":null,"dismissal_date":null,
        "publications":[{"task":"t1","timestamp":1769860800,"priority":"normal"},
        {"task":"t2","timestamp":1769860801,"priority":"high"}],
        "pending":{"task":"t3","due":"2026-01-31T12:00:02.000Z"},"urgent_this_hour":1}
        """

    @Test func anActivityIsShown() async throws {
        try await TaskServer.with([.json(Self.activity)]) { server in
            #expect(await run("show", "a/b", at: server) == 0)
            #expect(server.requests.map(\.target) == ["GET /v1/activities/a%2Fb"])
            for row in [
                "activity a/b", #"content state {"step":2}"#, "ended –",
                "publications t1 2026-01-31T12:00:00.000Z normal priority",
                "t2 2026-01-31T12:00:01.000Z high priority", "pending t3 due 2026-01-31T12:00:02.000Z",
                "budget 1 of high priority this hour",
            ] {
                #expect(rows.contains(row), "\(row): \(rows)")
            }
            #expect(await run("show", "a/b", "--json", at: server) == 0)
            let printed = try JSON(Array(try #require(terminal.printed.last).utf8))
            #expect(printed["urgent_this_hour"] == .integer(1))
        }
    }

    @Test func devicesShowWhatTheyGotLast() async throws {
        let answer = """
            {"devices":[{"id":"J8lHY4X1XkU","protocol":"liveactivity","token":"fe66489f304dc75b8d6e","device":"d1",
            "user":"ada","environment":"sandbox","registered":"2026-01-31T12:00:00Z",
            "last":{"task":"t1","timestamp":1769860800,"state":"delivered"}},
            {"id":"K8lHY4X1XkU","protocol":"channel","token":"c","environment":"production",
            "registered":"2026-01-31T12:00:00Z","last":null}],"next":"K8lHY4X1XkU"}
            """
        try await TaskServer.with([.json(answer)]) { server in
            #expect(await run("devices", "order-7", "--limit", "2", "--after", "x", at: server) == 0)
            #expect(server.requests.map(\.target) == ["GET /v1/activities/order-7/devices?limit=2&after=x"])
            #expect(rows[0] == "DEVICE USER PROTOCOL ENVIRONMENT REGISTERED LAST TIMESTAMP TASK TOKEN")
            let told = "d1 ada liveactivity sandbox 2026-01-31T12:00:00Z delivered 2026-01-31T12:00:00.000Z t1 "
            #expect(rows[1].hasPrefix(told) && !rows[1].contains("fe66489f304dc75b8d6e"), "\(rows)")
            #expect(rows[2] == "– – channel production 2026-01-31T12:00:00Z – – – c")
            #expect(terminal.complaints == ["more: carillon activities devices order-7 --after K8lHY4X1XkU"])
        }
    }

    @Test(arguments: [
        (target, #"{"users":["ada"],"type":"Order","alert":{"title":"Your order"},"content_state":{}}"#),
        (
            [
                "--topic", "match", "--id", "m 1", "--state", #"{"score": [0, 1]}"#, "--attributes", #"{"home": "A"}"#,
                "--body", "Kick-off", "--mirror", "--channel",
            ],
            #"{"audience":{"topic":"match"},"type":"Order","id":"m 1","alert":{"body":"Kick-off"},"mirror":true,"#
                + #""updates":"channel","content_state":{"score":[0,1]},"attributes":{"home":"A"}}"#
        ),
        (
            target + ["--device", "d1", "--fallback", "Received"],
            #"{"users":["ada"],"devices":["d1"],"type":"Order","alert":{"title":"Your order"},"#
                + #""fallback":{"title":"Your order","body":"Received"},"content_state":{}}"#
        ),
    ])
    func aStartIsPosted(_ words: [String], body: String) async throws {
        let answer = #"{"id":"order-7","task":"t1","warnings":[{"field":"users","detail":"no provider"}]}"#
        try await TaskServer.with([.json(answer, status: .created)]) { server in
            #expect(await run(["start", "Order"] + words, at: server) == 0)
            let request = try #require(server.requests.first)
            #expect(request.target == "POST /v1/activities" && request.body == body)
            #expect(request.idempotencyKey != nil)
            #expect(
                terminal.printed == ["activity order-7", "task t1", "follow it with: carillon watch t1"])
            #expect(terminal.complaints == ["carillon: no provider"])
        }
    }

    @Test func anUpdateIsSent() async throws {
        try await TaskServer.with([Self.sent]) { server in
            let words = [
                "update", "order-7", "--state", #"{"step":2}"#, "--alert-title", "Hi", "--priority", "high", "--stale",
                "2026-12-24T18:00:00Z",
            ]
            #expect(await run(words, at: server) == 0)
            let request = try #require(server.requests.first)
            #expect(request.target == "PATCH /v1/activities/order-7" && request.idempotencyKey != nil)
            #expect(
                request.body == #"{"alert":{"title":"Hi"},"priority":"high","stale_date":"2026-12-24T18:00:00Z","#
                    + #""content_state":{"step":2}}"#)
            #expect(
                terminal.printed == [
                    "task t1, due 2026-01-31T12:00:01.000Z", "follow it with: carillon watch t1",
                ])
            #expect(await run(words + ["--json"], at: server) == 0)
            #expect(terminal.printed.last == #"{"id":"order-7","task":"t1","due":"2026-01-31T12:00:01.000Z"}"#)
        }
    }

    @Test func anEndHasItsLastStateFromAFile() async throws {
        let file = folder.write("state.json", content: #"{"step": 3}"#)
        try await TaskServer.with([Self.sent]) { server in
            #expect(
                await run("end", "order-7", "--state", "@\(file)", "--dismiss", "2026-12-24T18:00:00Z", at: server)
                    == 0)
            #expect(await run("end", "order-7", "--dismiss", "now", at: server) == 0)
            #expect(await run("end", "order-7", at: server) == 0)
            #expect(server.requests.map(\.target) == Array(repeating: "POST /v1/activities/order-7/end", count: 3))
            let bodies = server.requests.map(\.body)
            #expect(bodies[0] == #"{"content_state":{"step":3},"dismissal_date":"2026-12-24T18:00:00Z"}"#)
            #expect(bodies[1].hasPrefix(#"{"dismissal_date":"20"#) && bodies[2] == "{}")
        }
    }

    /// Goal: what another attempt cannot change is reported at once, what it can is tried again under the same key.
    @Test func aConflictIsReportedAndABusyServerAskedAgain() async throws {
        func problem(_ type: String, _ detail: String) -> HTTPResponse {
            HTTPResponse(
                .conflict, headers: [HTTPField("Content-Type", "application/problem+json")],
                body: .bytes(Array(#"{"type":"urn:carillon:\#(type)","status":409,"detail":"\#(detail)"}"#.utf8)))
        }
        try await TaskServer.with([problem("activity-ended", "It has ended.")]) { server in
            #expect(await run("update", "order-7", "--state", "{}", at: server) == 1)
            #expect(server.requests.count == 1)
            #expect(terminal.complaints == ["carillon: \(server.url) responded with 409: It has ended."])
        }
        try await TaskServer.with([problem("request-in-progress", "Retry later."), Self.sent]) { server in
            #expect(await run("update", "order-7", "--state", "{}", at: server) == 0)
            let keys = server.requests.map(\.idempotencyKey)
            #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
        }
    }

    @Test(arguments: [
        (["start"], "expected one type, the name of the app's ActivityAttributes"),
        (["start", "Or der"] + target, "type Or der: expected the name of a Swift type"),
        (["start", "Order", "--title", "x"], "no audience given; use --all, --topic NAME"),
        (["start", "Order", "--user", "ada"], "no alert given, without which Apple starts no activity; use --title"),
        (["start", "Order", "--id", "a\u{7}"] + target, "expected 1 to 128 bytes without control characters"),
        (["start", "Order", "--state", "-", "--attributes", "-"] + target, "--state and --attributes cannot both be"),
        (["start", "Order", "--state", "[1]"] + target, "--state: expected a JSON object such as"),
        (["update", "order-7"], "no state given; use --state JSON with the app's whole ContentState"),
        (["update", "--state", "{}"], "expected one activity id"),
        (["update", "x", "--state", "{"], "--state: "),
        (["update", "x", "--state", "@/nowhere/x"], "--state: cannot read /nowhere/x, or it exceeds 64KiB"),
        (["update", "x", "--state", "{}", "--priority", "5"], "--priority 5: expected high or normal"),
        (["update", "x", "--state", "{}", "--stale", "soon"], "--stale soon: expected a time with a zone"),
        (["end", "x", "--dismiss", "later"], "--dismiss later: expected a time with a zone"),
        (["list", "--limit", "0"], "--limit 0: expected an integer from 1 to 1000"),
    ])
    func mistakesAreNamed(_ words: [String], complaint: String) async throws {
        let context = CommandContext(terminal: terminal, variables: ["CARILLON_URL": "http://127.0.0.1:1"])
        #expect(await CommandTree.carillon.run(["activities"] + words, in: context) == 64)
        #expect(terminal.complaints.contains { $0.contains(complaint) }, "\(terminal.complaints)")
    }
}
