import CommandKit
import HTTPServer
import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// The commands about tasks, against a server that responds as documented.
@Suite(.timeLimit(.minutes(3))) struct TaskCommandsTests {
    private let terminal = RecordedTerminal()
    private let folder = TemporaryDirectory("task")

    private func run(_ words: String..., at server: TaskServer, on terminal: RecordedTerminal? = nil) async -> Int32 {
        await run(words, at: server, on: terminal)
    }

    private func run(_ words: [String], at server: TaskServer, on terminal: RecordedTerminal? = nil) async -> Int32 {
        let variables = ["CARILLON_URL": server.url + "/", "CARILLON_KEY": "ck_1_secret"]
        return await CommandTree.carillon.run(
            words, in: CommandContext(terminal: terminal ?? self.terminal, variables: variables))
    }

    private func task(_ state: String, counts: String, cancelled: Bool = false, jobs: String = "1") -> HTTPResponse {
        .json(
            """
            {"id":"t1","app":"demo","state":"\(state)","cancelled":\(cancelled),"created":"2026-01-31T12:00:00Z",
            "deadline":"2026-02-01T12:00:00Z","closed":null,"lane":"fast","jobs":{"resolved":1,"total":\(jobs)},
            "counts":{\(counts)}}
            """)
    }

    private let created = HTTPResponse.json(#"{"id":"t1"}"#, status: .created)

    @Test func pushPostsATaskAndNamesTheNextCommand() async throws {
        try await TaskServer.with([created]) { server in
            #expect(await run("push", "--topic", "news", "--title", "Hi", "--body", "there", at: server) == 0)
            #expect(terminal.printed == ["task t1", "follow it with: carillon watch t1"])
            let request = try #require(server.requests.first)
            #expect(request.target == "POST /v1/tasks")
            #expect(request.authorization == "Bearer ck_1_secret")
            #expect(request.body == #"{"audience":{"topic":"news"},"message":{"title":"Hi","body":"there"}}"#)
        }
    }

    /// Each of several users has a task of its own.
    @Test func pushNamesTheTaskOfEachUser() async throws {
        let answer = HTTPResponse.json(
            #"{"tasks":[{"id":"t1","user":"u1"},{"id":"t2","user":"u2"}]}"#, status: .created)
        let words = ["push", "--user", "u1", "--user", "u2", "--title", "x", "--within", "3h"]
        try await TaskServer.with([answer]) { server in
            #expect(await run(words, at: server) == 0)
            #expect(
                terminal.printed == ["task t1 for u1", "task t2 for u2", "follow it with: carillon watch t1"])
            #expect(await run(words + ["--json"], at: server) == 0)
            #expect(terminal.printed.suffix(2) == [#"{"id":"t1","user":"u1"}"#, #"{"id":"t2","user":"u2"}"#])
            #expect(await run(words + ["--watch"], at: server) == 64)
            #expect(server.requests.count == 2)
        }
    }

    @Test func whatWasWrittenIsWrittenAgainInTheNextCommand() async throws {
        try await TaskServer.with([created]) { server in
            let url = server.url
            #expect(await run("push", "--all", "--silent", "--app", "shop", "--url", url, at: server) == 0)
            #expect(server.requests.first?.target == "POST /apps/shop/v1/tasks")
            #expect(terminal.printed.last == "follow it with: carillon watch t1 --url \(url) --app shop")
        }
    }

    @Test(arguments: [
        (["--all", "--silent"], #"{"audience":{"all":true},"message":{"silent":true}}"#),
        (
            ["--topic", "a", "--topic", "b", "--title", "x"],
            #"{"audience":{"any":[{"topic":"a"},{"topic":"b"}]},"message":{"title":"x"}}"#
        ),
        (
            ["--user", "u1", "--device", "d1", "--device", "d2", "--body", "x", "--platform", "ios"],
            #"{"users":["u1"],"devices":["d1","d2"],"platforms":["ios"],"message":{"body":"x"}}"#
        ),
        (
            ["--user", "u1", "--title", "x", "--time-to-live", "12h"],
            #"{"users":["u1"],"message":{"title":"x"},"options":{"time_to_live":"12h"}}"#
        ),
        (
            ["--audience", "vip", "--title", "x"], #"{"audience":{"audience":"vip"},"message":{"title":"x"}}"#
        ),
        (
            ["--audience", #"{"language": "fr"}"#, "--title", "x"],
            #"{"audience":{"language":"fr"},"message":{"title":"x"}}"#
        ),
        (
            ["--all", "--title", "x", "--cap", "skip"],
            #"{"audience":{"all":true},"message":{"title":"x"},"cap":"skip"}"#
        ),
        (
            ["--all", "--title", "x", "--rate", "500"],
            #"{"audience":{"all":true},"message":{"title":"x"},"rate":500}"#
        ),
        (
            ["--user", "u1", "--title", "x", "--within", "3h", "--method", "compare"],
            #"{"users":["u1"],"message":{"title":"x"},"deliver_within":"3h","method":"compare"}"#
        ),
        (
            ["--user", "u1", "--user", "u2", "--title", "x", "--within", "3h"],
            #"{"users":["u1","u2"],"message":{"title":"x"},"deliver_within":"3h"}"#
        ),
        (
            ["--user", "u1", "--title", "x", "--replaces", "order-4711"],
            #"{"users":["u1"],"message":{"title":"x"},"replaces":"order-4711"}"#
        ),
        (
            ["--user", "u1", "--title", "x", "--label", "wave=a=b", "--label", "campaign=spring"],
            #"{"users":["u1"],"message":{"title":"x"},"labels":{"campaign":"spring","wave":"a=b"}}"#
        ),
    ])
    func optionsBecomeATask(_ words: [String], task: String) throws {
        let arguments = try CommandArguments(words, options: PushOptions.options)
        #expect(try PushOptions.task(arguments).compactText == task)
    }

    @Test(arguments: [
        (["push"], "no audience given; use --all, --topic NAME, --audience AUDIENCE, --user ID or --device ID"),
        (["push", "--all"], "no message given; use --title TEXT, --body TEXT or --silent"),
        (["push", "--all", "--topic", "a"], "--all includes the subscribers of every topic"),
        (["push", "--all", "--silent", "--title", "x"], "--silent cannot be combined with --title or --body"),
        (["push", "--all", "--silent", "--time-to-live", "soon"], "--time-to-live soon: expected a duration"),
        (["push", "--all", "--silent", "--rate", "0"], "--rate 0: expected devices a second"),
        (["push", "--user", "u", "--title", "x", "--within", "5s"], "--within 5s: expected a duration from 1m to 90d"),
        (
            ["push", "--user", "u", "--user", "v", "--title", "x", "--within", "1h", "--watch"],
            "--watch follows one task"
        ),
        (["push", "--user", "u", "--all", "--title", "x", "--within", "1h"], "--within needs --user ID, and nothing"),
        (["push", "--user", "u", "--title", "x", "--method", "traditional"], "--method needs --within TIME"),
        (
            ["push", "--user", "u", "--title", "x", "--within", "1h", "--method", "best"],
            "--method best: expected context_aware, traditional or compare"
        ),
        (["push", "--all", "--silent", "--cap", "never"], "--cap never: expected defer, skip or ignore"),
        (["push", "--all", "--silent", "--replaces", "a b"], "--replaces a b: expected 1 to 64 visible ASCII"),
        (["push", "--audience", "a", "--all", "--silent"], "--audience cannot be combined with --all or --topic"),
        (["push", "--audience", "{", "--silent"], "expected an audience as JSON"),
        (["audiences", "save", "vip"], "expected a name and an audience as JSON"),
        (["push", "--all", "--silent", "--label", "campaign"], "--label campaign: expected NAME=VALUE"),
        (["push", "--all", "--silent", "--label", "Campaign=x"], "--label Campaign=x: expected NAME=VALUE"),
        (["push", "--all", "--silent", "--label", "a=1", "--label", "a=2"], "--label a is given twice"),
        (["push", "--file", "x", "--title", "x"], "--file contains the whole task"),
        (["push", "--file", "/nonexistent"], "--file /nonexistent: cannot read it"),
        (["push", "--all", "--silent", "--dry-run", "--watch"], "--watch cannot be combined with --dry-run"),
        (["push", "--all", "--silent", "--url", "localhost"], "localhost is not an API URL"),
        (["watch"], "expected one task id"),
        (["watch", "../x"], "\"../x\" is not a task id"),
        (["tasks", "bogus"], "tasks takes no argument \"bogus\""),
        (["tasks", "--limit", "0"], "--limit 0: expected an integer from 1 to 1000"),
    ])
    func wrongWordsAreNamed(_ words: [String], sentence: String) async {
        let code = await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 64)
        #expect(terminal.complaints.first?.contains(sentence) == true, "\(terminal.complaints)")
    }

    /// The first request may have been carried out; the key ensures that there is one task.
    @Test func aPushWithoutAnAnswerIsRepeatedUnderOneKey() async throws {
        let away = Problem(.serviceUnavailable, detail: "the bus is away").response()
        try await TaskServer.with([away, created]) { server in
            #expect(await run("push", "--all", "--silent", at: server) == 0)
            let keys = posts(at: server).map(\.idempotencyKey)
            #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
            #expect(terminal.complaints.count == 1)
            #expect(await run("push", "--all", "--silent", at: server) == 0)
            #expect(posts(at: server).last?.idempotencyKey != keys[0])
        }
    }

    @Test func aFileIsPostedAsItIs() async throws {
        let file = folder.write("task.json", content: #"{"audience": {"all": true}, "variables": {"x": 1}}"#)
        try await TaskServer.with([created]) { server in
            #expect(await run("push", "--file", file, at: server) == 0)
            #expect(server.requests.first?.body == #"{"audience":{"all":true},"variables":{"x":1}}"#)
            folder.write("task.json", content: "{")
            #expect(await run("push", "--file", file, at: server) == 64)
            #expect(terminal.complaints.first?.contains("line 1, column 2") == true)
            #expect(posts(at: server).count == 1)
        }
    }

    @Test func aDryRunOnlyCounts() async throws {
        try await TaskServer.with([.json(#"{"devices":12}"#)]) { server in
            #expect(await run("push", "--all", "--silent", "--dry-run", at: server) == 0)
            #expect(terminal.printed == ["would be sent to 12 devices"])
            #expect(server.requests.first?.target == "POST /v1/tasks?dry_run=true")
        }
    }

    @Test func aRefusalIsPrintedWithItsFields() async throws {
        let problem = HTTPResponse(
            .unprocessableContent, headers: [HTTPField("Content-Type", "application/problem+json")],
            body: .bytes(
                Array(
                    #"""
                    {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"the task is wrong",
                    "errors":[{"field":"message.title","detail":"is too long"},{"field":"users[0]","detail":"is empty"}]}
                    """#.utf8)))
        try await TaskServer.with([problem]) { server in
            #expect(await run("push", "--all", "--title", "x", at: server) == 1)
            #expect(
                terminal.complaints == [
                    """
                    carillon: \(server.url) responded with 422: the task is wrong
                      message.title: is too long
                      users[0]: is empty
                    """
                ])
        }
    }

    @Test func watchTellsWhatChangedUntilTheEnd() async throws {
        let answers = [
            task("accepted", counts: #""targeted":0"#, jobs: "2"),
            task("sending", counts: #""targeted":4,"open":2,"delivered":2"#),
            task("sending", counts: #""targeted":4,"open":2,"delivered":2"#),
            task("closed", counts: #""targeted":4,"open":0,"delivered":4"#),
        ]
        try await TaskServer.with(answers) { server in
            #expect(await run("watch", "t1", at: server) == 0)
            #expect(server.requests.map(\.target) == Array(repeating: "GET /v1/tasks/t1", count: 4))
            let lines = terminal.printed
            #expect(lines.count == 4)
            #expect(lines.first == "accepted 0 of 0 found so far, no results yet")
            #expect(lines.dropFirst().first?.hasPrefix("sending 2 of 4, ") == true)
            #expect(lines.dropFirst().first?.hasSuffix("/s, delivered 2") == true)
            #expect(lines.last == "closed: 4 targeted, delivered 4")
        }
    }

    @Test func onATerminalOneLineIsDrawnOver() async throws {
        let terminal = RecordedTerminal(isTerminal: true)
        let answers = [
            task("sending", counts: #""targeted":4,"delivered":2"#),
            task("closed", counts: #""targeted":4,"delivered":4"#),
        ]
        try await TaskServer.with(answers) { server in
            #expect(await run("watch", "t1", at: server, on: terminal) == 0)
            #expect(terminal.drawn.first??.hasPrefix("[############------------]  50% sending 2 of 4") == true)
            #expect(terminal.drawn.count == 3 && terminal.drawn.last == .some(nil))
            #expect(terminal.printed == ["ok: delivered to all 4 devices"])
        }
    }

    @Test(arguments: [
        (#""targeted":3,"delivered":3"#, false, Int32(0)), (#""targeted":0"#, false, 0),
        (#""targeted":3,"delivered":2,"invalid_removed":1"#, false, 2),
        (#""targeted":3,"delivered":2,"cancelled":1"#, true, 3),
    ])
    func theExitCodeTellsHowItEnded(_ counts: String, isCancelled: Bool, code: Int32) async throws {
        try await TaskServer.with([created, task("closed", counts: counts, cancelled: isCancelled)]) { server in
            #expect(await run("push", "--all", "--silent", "--watch", at: server) == code)
        }
    }

    @Test func aTaskWithoutDevicesSaysSo() async throws {
        try await TaskServer.with([task("closed", counts: #""targeted":0"#)]) { server in
            #expect(await run("watch", "t1", at: server) == 0)
            #expect(terminal.printed.last == "closed: 0 targeted, no matching devices")
            #expect(terminal.complaints.count == 1)
        }
    }

    @Test func aPushToNobodyIsAVisibleWarning() async throws {
        let accepted = task("accepted", counts: #""targeted":0"#, jobs: "2")
        let resolved = task("sending", counts: #""targeted":0"#)
        try await TaskServer.with([created, accepted, resolved]) { server in
            #expect(await run("push", "--topic", "news", "--title", "x", at: server) == 0)
            #expect(terminal.printed == ["task t1", "follow it with: carillon watch t1"])
            let warning = try #require(terminal.complaints.first)
            #expect(warning.hasPrefix("warning: the task addresses no device"))
            #expect(warning.contains("carillon subscriptions show news"))
        }
    }

    @Test func watchingAPushToNobodyWarnsOnce() async throws {
        let terminal = RecordedTerminal(isTerminal: true)
        try await TaskServer.with([created, task("closed", counts: #""targeted":0"#)]) { server in
            #expect(await run(["push", "--all", "--silent", "--watch"], at: server, on: terminal) == 0)
            #expect(terminal.printed == ["task t1", "warning: no device matched; nothing was sent"])
            #expect(terminal.complaints.count == 1)
        }
    }

    @Test func aPushToDevicesDoesNotWarn() async throws {
        for answer in [
            task("sending", counts: #""targeted":1"#), task("scheduled", counts: #""targeted":0"#),
            Problem(.forbidden, detail: "scope").response(),
        ] {
            try await TaskServer.with([created, answer]) { server in
                #expect(await run("push", "--all", "--silent", at: server) == 0)
                #expect(terminal.complaints == [])
            }
        }
    }

    private func posts(at server: TaskServer) -> [TaskServer.Request] {
        server.requests.filter { $0.target.hasPrefix("POST ") }
    }

    @Test func whatTakesLongIsLookedAtLessOften() {
        #expect(Watcher.pause(after: .zero) == .milliseconds(200))
        #expect(Watcher.pause(after: .seconds(10)) == .milliseconds(500))
        #expect(Watcher.pause(after: .seconds(3_600)) == .seconds(1))
    }

    @Test func anUnknownTaskIsNamed() async throws {
        let problem = Problem(.notFound, detail: "there is no task t1").response()
        try await TaskServer.with([problem]) { server in
            #expect(await run("watch", "t1", at: server) == 1)
            #expect(terminal.complaints == ["carillon: \(server.url) responded with 404: there is no task t1"])
        }
    }

    /// A temporary outage, such as a restart of the API, does not end watching.
    @Test func watchBearsAnApiThatIsAwayForAMoment() async throws {
        let away = Problem(.serviceUnavailable, detail: "the registry is not there yet").response()
        try await TaskServer.with([away, away, task("closed", counts: #""targeted":1,"delivered":1"#)]) { server in
            #expect(await run("watch", "t1", at: server) == 0)
            #expect(server.requests.count == 3)
            #expect(terminal.complaints.count == 1)
        }
    }

    @Test func anApiThatIsNotThereIsNamed() async {
        let variables = ["CARILLON_URL": "http://127.0.0.1:\(FreePort.next())"]
        let code = await CommandTree.carillon.run(
            ["tasks"], in: CommandContext(terminal: terminal, variables: variables))
        #expect(code == 1)
        #expect(terminal.complaints.first?.contains("cannot be reached") == true)
    }

    @Test func withoutAKeyARefusalSaysWhereOneIsNamed() async throws {
        try await TaskServer.with([Problem(.unauthorized, detail: "no key").response()]) { server in
            let context = CommandContext(terminal: terminal, variables: ["CARILLON_URL": server.url])
            #expect(await CommandTree.carillon.run(["tasks"], in: context) == 1)
            #expect(server.requests.first?.authorization == nil)
            #expect(
                terminal.complaints == [
                    "carillon: \(server.url) responded with 401: no key; set a key with --key-file or CARILLON_KEY"
                ])
        }
    }

    /// Its URL and key are read from its folder, and its key is sent nowhere else.
    @Test func theUpThatRunsInAFolderIsFound() async throws {
        let data = try DataFolder(making: folder.file("data"))
        folder.write("data/demo.key", content: "ck_3_own\n")
        folder.write(
            "data/up.json",
            content:
                #"{"url":"http://127.0.0.1:9","redis":"redis://127.0.0.1:9","key_file":"\#(folder.file("data/demo.key"))"}"#
        )
        func access(_ words: String..., variables: [String: String] = [:]) throws -> APIAccess {
            try APIAccess(
                CommandArguments(["--data", data.path] + words, options: APIAccess.options),
                in: CommandContext(terminal: terminal, variables: variables))
        }
        let lock = try await DataLock(data, time: SystemTimeSource())
        let found = try access(variables: ["CARILLON_URL": "http://elsewhere", "CARILLON_KEY": "ck_4_other"])
        #expect(found.url == "http://127.0.0.1:9")
        #expect(found.key?.reveal() == "ck_3_own")
        #expect(found.command("tasks") == "carillon tasks --data \(data.path)")
        #expect(try access("--url", "http://elsewhere").key == nil)
        withExtendedLifetime(lock) {}
    }

    @Test func whatAKilledUpLeftIsNotBelieved() throws {
        let data = try DataFolder(making: folder.file("data"))
        folder.write(
            "data/up.json", content: #"{"url":"http://127.0.0.1:9","redis":"redis://127.0.0.1:9","key_file":null}"#)
        folder.write("data/up.lock", content: "1\n")
        #expect(throws: UpError("no carillon up is running in \(data.path)")) {
            try APIAccess(
                CommandArguments(["--data", data.path], options: APIAccess.options),
                in: CommandContext(terminal: terminal, variables: [:]))
        }
    }

    @Test func theKeyMayStandInAFile() async throws {
        let file = folder.write("key", content: "ck_2_other\n")
        try await TaskServer.with([.json(#"{"tasks":[],"next":null}"#)]) { server in
            #expect(await run("tasks", "--key-file", file, at: server) == 0)
            #expect(server.requests.first?.authorization == "Bearer ck_2_other")
            #expect(terminal.printed == ["no tasks"])
        }
    }

    @Test func tasksAreListedPageByPage() async throws {
        let page = HTTPResponse.json(
            """
            {"tasks":[{"id":"t2","created":"2026-01-31T12:00:00Z","state":"sending"},
            {"id":"t1","created":"2026-01-31T11:00:00Z","state":"closed","cancelled":true,"jobs":{"resolved":1,"total":1},
            "counts":{"targeted":3,"delivered":2,"cancelled":1}}],"next":"c/2"}
            """)
        try await TaskServer.with([page]) { server in
            #expect(await run("tasks", "--limit", "2", "--before", "c/1", at: server) == 0)
            #expect(server.requests.first?.target == "GET /v1/tasks?limit=2&before=c%2F1")
            let rows = terminal.printed.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(
                rows == [
                    "TASK CREATED STATE TARGETED OUTCOMES", "t2 2026-01-31T12:00:00Z sending",
                    "t1 2026-01-31T11:00:00Z closed, cancelled 3 delivered 2, cancelled 1",
                ])
            #expect(terminal.complaints == ["more: carillon tasks --before c/2"])
            #expect(await run("tasks", "--json", at: server) == 0)
            #expect(terminal.printed.last?.hasPrefix(#"{"id":"t1","created""#) == true)
        }
    }

    /// The API returns at most a hundred tasks per page.
    @Test func manyTasksAreListedOverSeveralPages() async throws {
        func page(_ numbers: Range<Int>, next: String) -> HTTPResponse {
            let tasks = numbers.map { #"{"id":"t\#($0)","created":"2026-01-31T12:00:00Z","state":"sending"}"# }
            return .json(#"{"tasks":[\#(tasks.joined(separator: ","))],"next":\#(next)}"#)
        }
        let pages = [page(0..<100, next: "\"c1\""), page(100..<200, next: "\"c2\""), page(200..<230, next: "\"c3\"")]
        try await TaskServer.with(pages) { server in
            #expect(await run("tasks", "--limit", "230", "--before", "c0", "--json", at: server) == 0)
            #expect(
                server.requests.map(\.target) == [
                    "GET /v1/tasks?limit=100&before=c0", "GET /v1/tasks?limit=100&before=c1",
                    "GET /v1/tasks?limit=30&before=c2",
                ])
            #expect(terminal.printed.count == 230 && terminal.printed.last?.contains("t229") == true)
            #expect(terminal.complaints == ["more: carillon tasks --before c3"])
        }
        try await TaskServer.with([page(0..<100, next: "\"c1\""), page(100..<120, next: "null")]) { server in
            #expect(await run("tasks", "--limit", "1000", "--json", at: server) == 0)
            #expect(server.requests.count == 2 && terminal.printed.count == 350)
        }
    }

    @Test func oneTaskIsShown() async throws {
        try await TaskServer.with([task("sending", counts: #""targeted":5,"open":2,"delivered":2,"failed":1"#)]) {
            server in
            #expect(await run("tasks", "show", "t1", at: server) == 0)
            let rows = terminal.printed.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(rows.first == "task t1")
            #expect(rows.contains("closed –"))
            #expect(
                rows.suffix(7) == [
                    "targeted 5", "delivered 2", "failed 1", "open 2", "why it waits:",
                    "2 devices: rendered or sent now", "if the number stays, a sender or its provider stands still",
                ])
        }
    }

    @Test func aTaskIsCancelled() async throws {
        try await TaskServer.with([HTTPResponse(.accepted)]) { server in
            #expect(await run("tasks", "cancel", "t1", at: server) == 0)
            #expect(server.requests.first?.target == "POST /v1/tasks/t1/cancel")
            #expect(terminal.printed.first == "t1 is being cancelled")
        }
    }

    /// It is final, so the command does not wait for it.
    @Test func aTaskThatFailedIsOver() throws {
        let status = try #require(
            ReportedTask(
                try JSON(#"{"id":"t","state":"failed","problem":"it cannot be read","counts":{"targeted":0}}"#)))
        #expect(status.isOver && status.exitCode == 1 && status.outcomesText == "it cannot be read")
    }

    @Test(arguments: [("sending", "; waiting: retry 2, quiet hours 30"), ("closed", "")])
    func whatDevicesWaitForIsShown(state: String, text: String) throws {
        let json = try JSON(
            #"""
            {"id":"t","state":"\#(state)","jobs":{"resolved":1,"total":1},"counts":{"targeted":900,"delivered":868},
            "waiting":{"retry":2,"rate":{"devices":0},"quiet_hours":{"devices":30,"next":"2026-02-01T06:00:00Z"}}}
            """#)
        let status = try #require(ReportedTask(json))
        #expect(ProgressBar().text(status) == "\(state) 868 of 900, delivered 868\(text)")
    }

    @Test func whatDevicesReportedIsShown() throws {
        let json = try JSON(
            #"""
            {"id":"t","state":"closed","jobs":{"resolved":1,"total":1},"counts":{"targeted":9,"delivered":9},
            "unmatched":4,"receipts":{"delivered":0,"opened":3,"dismissed":0,"actions":1}}
            """#)
        let status = try #require(ReportedTask(json))
        #expect(ProgressBar().text(status) == "closed 9 of 9, delivered 9; receipts: opened 3, actions 1")
        let lines = TasksShow.text(status).split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.suffix(4) == ["unmatched 4", "receipts", "opened 3", "actions 1"])
    }

    @Test func theRateIsThatOfTheLastFewSeconds() throws {
        func status(_ delivered: Int) throws -> ReportedTask {
            let json = try JSON(
                #"""
                {"id":"t","state":"sending","jobs":{"resolved":1,"total":1},
                "counts":{"targeted":900,"delivered":\#(delivered)}}
                """#)
            return try #require(ReportedTask(json))
        }
        var progress = ProgressBar()
        progress.update(with: try status(0), uptime: .seconds(0))
        #expect(progress.rate == nil)
        for second in 1...10 { progress.update(with: try status(second * 10), uptime: .seconds(second)) }
        #expect(progress.rate == 10)
        for second in 11...20 { progress.update(with: try status(100 + (second - 10) * 50), uptime: .seconds(second)) }
        #expect(progress.rate == 50)
        #expect(progress.bar(try status(600), columns: 40).count < 40)
        #expect(progress.bar(try status(600), columns: 80).contains("66% sending 600 of 900, 50/s, 6 s left, deli"))
    }
}
