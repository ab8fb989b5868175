import CommandKit
import ServiceKit
import Testing

@testable import Carillon

@Suite struct CommandTreeTests {
    private func run(_ words: String...) async -> (code: Int32, terminal: RecordedTerminal) {
        let terminal = RecordedTerminal()
        let code = await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:]))
        return (code, terminal)
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func theOverviewNamesEveryCommand(_ words: [String]) async {
        let terminal = RecordedTerminal()
        let code = await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 0)
        for name in [
            "up", "push", "watch", "tasks", "tasks cancel", "activities list", "activities show",
            "activities devices", "activities start", "activities update", "activities end", "results", "reports",
            "feedback",
            "topics list", "topics create", "dead list", "dead show",
            "dead replay", "import pushd",
        ] {
            #expect(terminal.printed.contains { $0.hasPrefix("  \(name) ") }, "\(name)")
        }
    }

    @Test(arguments: [["help", "dead", "show"], ["dead", "show", "--help"], ["dead", "show", "0:1", "-h"]])
    func aCommandTellsItsOptions(_ words: [String]) async {
        let terminal = RecordedTerminal()
        #expect(await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:])) == 0)
        #expect(terminal.printed.contains("Usage: carillon dead show [OPTIONS] PARTITION:OFFSET"))
        #expect(terminal.printed.contains("  --raw"))
        #expect(terminal.printed.contains("  --bus URL"))
    }

    @Test func aGroupTellsItsCommands() async {
        let (code, terminal) = await run("help", "dead")
        #expect(code == 0)
        #expect(terminal.printed.filter { $0.hasPrefix("  dead ") }.count == 3)
        #expect(await run("dead", "--help").terminal.printed == terminal.printed)
    }

    @Test func printsTheVersionOfTheServices() async {
        let (code, terminal) = await run("--version")
        #expect(code == 0)
        #expect(terminal.printed == ["carillon \(CarillonVersion.current)"])
    }

    @Test func theVariablesOfTheBusCanBeRead() async {
        let (code, terminal) = await run("help", "environment")
        #expect(code == 0)
        #expect(terminal.printed.contains("  CARILLON_BUS"))
        #expect(terminal.printed.contains("  CARILLON_KAFKA_SASL_PASSWORD"))
    }

    @Test(arguments: [
        (["tpics", "list"], "carillon: unknown command \"tpics\"; did you mean topics?\nSee carillon --help"),
        (
            ["frobnicate"],
            "carillon: unknown command \"frobnicate\"; there are: up, push, watch, tasks, stats, campaigns, activities, audiences, devices, users, subscriptions, apps, results, reports, feedback, topics, dead, rebuild, import, completion, bench, help\nSee carillon --help"
        ),
        (["dead", "shwo", "0:1"], "carillon: unknown command \"dead shwo\"; did you mean show?\nSee carillon --help"),
        (["dead"], "carillon: dead requires a subcommand: list, show, replay\nSee carillon --help"),
        (
            ["topics", "list", "--jsn"],
            "carillon: unknown option --jsn; did you mean --json?\nSee carillon topics list --help"
        ),
        (
            ["topics", "list", "all"],
            "carillon: topics list takes no argument \"all\"\nSee carillon topics list --help"
        ),
        (
            ["dead", "list", "--limit", "0"],
            "carillon: --limit 0: expected an integer from 1 to 100000\nSee carillon dead list --help"
        ),
        (["dead", "show"], "carillon: expected one PARTITION:OFFSET\nSee carillon dead show --help"),
        (
            ["dead", "replay", "--all", "0:1"],
            "carillon: give positions or --all, not both\nSee carillon dead replay --help"
        ),
        (["dead", "replay"], "carillon: expected PARTITION:OFFSET or --all\nSee carillon dead replay --help"),
        (
            ["dead", "replay", "0:1", "--reason", "poison"],
            "carillon: --channel and --reason require --all\nSee carillon dead replay --help"
        ),
        (
            ["dead", "replay", "--all", "--reason", "posion"],
            "carillon: unknown reason posion; did you mean poison?\nSee carillon dead replay --help"
        ),
    ])
    func mistakesExitWith64(_ words: [String], sentence: String) async {
        let terminal = RecordedTerminal()
        let code = await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 64)
        #expect(terminal.complaints == [sentence])
        #expect(terminal.printed == [])
    }

    @Test(arguments: ["0", "0:", ":1", "0:1:2", "-1:2", "1:-2", "a:b", "0:99999999999999999999"])
    func whatIsNoPositionIsNamed(_ text: String) async {
        let (code, terminal) = await run("dead", "show", "--", text)
        #expect(code == 64)
        #expect(terminal.complaints.first?.contains("\"\(text)\" is not PARTITION:OFFSET") == true)
    }

    @Test func nothingAtAllIsAMistakeThatShowsTheWay() async {
        let (code, terminal) = await run()
        #expect(code == 64)
        #expect(terminal.complaints.first?.contains("topics list") == true)
    }

    /// Goal: at each depth the error names what may follow.
    @Test(arguments: [
        ("apps connect", "apps connect requires a subcommand: apns, fcm, huawei, webpush"),
        ("apps connect apms", "unknown command \"apps connect apms\"; did you mean apns?"),
        ("apps conect apns", "unknown command \"apps conect\"; did you mean connect?"),
    ])
    func aCommandOfThreeWordsIsCompleted(line: String, error: String) async {
        let terminal = RecordedTerminal()
        let code = await CommandTree.carillon.run(
            line.split(separator: " ").map(String.init), in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 64)
        #expect(terminal.complaints == ["carillon: \(error)\nSee carillon --help"])
    }
}
