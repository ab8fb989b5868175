import CommandKit
import HTTPServer
import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// `carillon campaigns show`, against a server that responds as documented.
@Suite(.timeLimit(.minutes(3))) struct CampaignCommandTests {
    private static func cohort(_ delivered: Int, opened: Int, rate: String, interval: String) -> String {
        """
        {"tasks":\(delivered),"sent":\(delivered),"delivered":\(delivered),"opened":\(opened),"delivery_rate":1,\
        "open_rate":\(rate),"open_rate_interval":\(interval)}
        """
    }

    private static func answer(_ difference: String) -> HTTPResponse {
        let aware = cohort(100, opened: 20, rate: "0.2", interval: "[0.13336,0.28884]")
        let traditional = cohort(100, opened: 10, rate: "0.1", interval: "[0.05523,0.17437]")
        return .json(
            """
            {"campaign":"spring","from":"2026-01-02T00:00:00.000Z","to":"2026-02-01T00:00:00.000Z",\
            "cohorts":{"context_aware":\(aware),"traditional":\(traditional)},"difference":\(difference)}
            """)
    }

    private func run(_ words: [String], at server: TaskServer, on terminal: RecordedTerminal) async -> Int32 {
        await CommandTree.carillon.run(
            ["campaigns", "show"] + words,
            in: CommandContext(terminal: terminal, variables: ["CARILLON_URL": server.url, "CARILLON_KEY": "ck_1_s"]))
    }

    @Test func aTerminalGetsBothCohorts() async throws {
        let terminal = RecordedTerminal(isTerminal: true)
        let difference = #"{"open_rate":0.1,"interval":[0.00094,0.19999],"is_significant":true}"#
        try await TaskServer.with([Self.answer(difference)]) { server in
            #expect(await run(["a b", "--from", "2026-01-02"], at: server, on: terminal) == 0)
            #expect(
                server.requests.first?.target == "GET /v1/campaigns/a%20b?from=2026-01-02T00%3A00%3A00Z")
        }
        let lines = terminal.printed.flatMap { $0.split(separator: "\n").map(String.init) }
        #expect(
            lines == [
                "METHOD         TASKS  SENT  DELIVERED  OPENED  OPEN RATE  95 %",
                "context_aware  100    100   100        20      20.0%      13.3% to 28.9%"
                    + "  ##################=========-------------",
                "traditional    100    100   100        10      10.0%      5.5% to 17.4%   #######======-----------",
                "Good moments raise the open rate by 10.0% (95 %: 0.1% to 20.0%).",
            ])
    }

    @Test(arguments: [
        ("null", "No verdict yet: both cohorts need deliveries."),
        (
            #"{"open_rate":-0.01,"interval":[-0.1,0.08],"is_significant":false}"#,
            "No proven difference: good moments change the open rate by -1.0% (95 %: -10.0% to 8.0%)."
        ),
        (
            #"{"open_rate":-0.05,"interval":[-0.1,-0.001],"is_significant":true}"#,
            "Good moments lower the open rate by -5.0% (95 %: -10.0% to -0.1%)."
        ),
    ])
    func theVerdictIsInWords(_ difference: String, verdict: String) async throws {
        let terminal = RecordedTerminal(isTerminal: false)
        try await TaskServer.with([Self.answer(difference)]) { server in
            #expect(await run(["spring"], at: server, on: terminal) == 0)
        }
        let lines = terminal.printed.flatMap { $0.split(separator: "\n").map(String.init) }
        #expect(lines.last == verdict && lines.count == 4)
    }

    @Test func jsonIsTheAnswer() async throws {
        let terminal = RecordedTerminal(isTerminal: false)
        try await TaskServer.with([Self.answer("null")]) { server in
            #expect(await run(["spring", "--json"], at: server, on: terminal) == 0)
        }
        #expect(try JSON(Array(terminal.printed[0].utf8))["campaign"] == .string("spring"))
    }

    @Test(arguments: [
        (["campaigns", "show"], "expected one campaign"),
        (["campaigns", "show", "a", "--from", "soon"], "--from soon: expected a day such as 2026-12-24"),
    ])
    func mistakesAreNamed(_ words: [String], complaint: String) async throws {
        let terminal = RecordedTerminal(isTerminal: false)
        let code = await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 64)
        #expect(terminal.complaints.contains { $0.contains(complaint) }, "\(terminal.complaints)")
    }
}
