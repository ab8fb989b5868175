import CommandKit
import HTTPServer
import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// `carillon stats`, against a server that responds as documented.
@Suite(.timeLimit(.minutes(3))) struct StatsCommandTests {
    private static func row(
        _ time: String, value: String, delivered: Int, failed: Int, expired: Int, opened: Int? = nil
    ) -> String {
        let receipts = opened.map { #","receipts":{"delivered":9,"opened":\#($0),"dismissed":0,"actions":0}"# } ?? ""
        return """
            {"time":"\(time)","value":"\(value)","tasks":2,"counts":{"targeted":\(delivered + failed + expired),\
            "delivered":\(delivered),"failed":\(failed),"invalid":0,"invalid_removed":0,"expired":\(expired),\
            "suppressed":0,"cancelled":0,"unknown":0}\(receipts)}
            """
    }

    private static func page(_ rows: [String], by: String = "total", interval: String = "day", next: String? = nil)
        -> HTTPResponse
    {
        .json(
            """
            {"from":"2026-01-01T00:00:00.000Z","to":"2026-01-08T00:00:00.000Z","interval":"\(interval)","by":"\(by)",\
            "rows":[\(rows.joined(separator: ","))]\(next.map { ",\"next\":\"\($0)\"" } ?? "")}
            """)
    }

    private func run(_ words: [String], at server: TaskServer, on terminal: RecordedTerminal) async -> Int32 {
        await CommandTree.carillon.run(
            ["stats"] + words,
            in: CommandContext(terminal: terminal, variables: ["CARILLON_URL": server.url, "CARILLON_KEY": "ck_1_s"]))
    }

    @Test func aTerminalGetsATableWithBars() async throws {
        let rows = [
            Self.row("2026-01-02T00:00:00.000Z", value: "spring", delivered: 12, failed: 6, expired: 6, opened: 7),
            Self.row("2026-01-02T00:00:00.000Z", value: "summer", delivered: 0, failed: 0, expired: 0),
        ]
        let terminal = RecordedTerminal(isTerminal: true)
        try await TaskServer.with([Self.page(rows, by: "label")]) { server in
            let words = ["--by", "label", "--name", "campaign", "--from", "2026-01-01", "--to", "2026-01-08T00:00:00Z"]
            #expect(await run(words, at: server, on: terminal) == 0)
            #expect(
                server.requests.first?.target
                    == "GET /v1/statistics?by=label&name=campaign&from=2026-01-01T00%3A00%3A00Z"
                    + "&to=2026-01-08T00%3A00%3A00Z")
            #expect(
                terminal.printed == [
                    "TIME        LABEL   TASKS  TARGETED  DELIVERED  FAILED  RATE   OPENED",
                    "2026-01-02  spring  2      24        12         6       50.0%  7       ############xxxxxx------",
                    "2026-01-02  summer  2      0         0          0       –      –",
                ])
            #expect(terminal.complaints == [StatisticsTable.legend])
        }
    }

    @Test func aPipeGetsNoBarsAndAPageItsNext() async throws {
        let row = Self.row("2026-01-02T17:00:00.000Z", value: "", delivered: 999, failed: 1, expired: 0)
        let terminal = RecordedTerminal()
        let page = Self.page([row], interval: "hour", next: "2026-01-03T00:00:00.000Z")
        try await TaskServer.with([page, page, Self.page([])]) { server in
            #expect(await run(["--interval", "hour"], at: server, on: terminal) == 0)
            #expect(terminal.printed.last == "2026-01-02 17:00  2      1000      999        1       99.9%")
            #expect(
                terminal.complaints == ["more: carillon stats --interval hour --from 2026-01-03T00:00:00.000Z"])
            #expect(await run(["--json"], at: server, on: terminal) == 0)
            #expect(terminal.printed.last == row)
            #expect(await run([], at: server, on: terminal) == 0)
            #expect(
                terminal.printed.last
                    == "no closed tasks from 2026-01-01T00:00:00.000Z to 2026-01-08T00:00:00.000Z")
        }
    }

    /// A failure is seen however rare it is, and a bar has one width.
    @Test(arguments: [
        (1_000, 0, 0, "########################"), (999, 1, 0, "#######################x"),
        (0, 0, 5, "------------------------"), (0, 5, 0, "xxxxxxxxxxxxxxxxxxxxxxxx"),
    ])
    func aBarShowsTheShares(delivered: Int, failed: Int, expired: Int, bar: String) throws {
        let document = Self.row("2026", value: "", delivered: delivered, failed: failed, expired: expired)
        let row = try #require(ReportedStatistics.Row(try JSON(Array(document.utf8))))
        #expect(StatisticsTable.bar(row) == bar)
    }

    @Test(arguments: [
        (["--by", "device"], "--by device: expected total"), (["--by", "label"], "--by label and --name LABEL belong"),
        (["--name", "a"], "--by label and --name LABEL belong"),
        (["--by", "label", "--name", "A"], "--name A: expected"),
        (["--from", "yesterday"], "--from yesterday: expected a day"), (["--interval", "week"], "--interval week:"),
        (["x"], "stats takes no argument"),
    ])
    func wrongWordsAreNamed(_ words: [String], sentence: String) async {
        let terminal = RecordedTerminal()
        let code = await CommandTree.carillon.run(
            ["stats"] + words, in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 64)
        #expect(terminal.complaints.first?.contains(sentence) == true, "\(terminal.complaints)")
    }
}
