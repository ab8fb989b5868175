import CommandKit
import ServiceKit
import Testing

@Suite struct CommandArgumentsTests {
    private static let limit = CommandOption("--limit", value: "N", meaning: "")
    private static let all = CommandOption("--all", meaning: "")
    private static let partitions = CommandOption("--partitions", value: "TOPIC=N", isRepeatable: true, meaning: "")

    private func parse(_ words: String...) throws(UsageError) -> CommandArguments {
        try CommandArguments(words, options: [Self.limit, Self.all, Self.partitions])
    }

    @Test func optionsAndOperandsMix() throws {
        let arguments = try parse("0:1", "--limit", "5", "0:2", "--all")
        #expect(arguments.operands == ["0:1", "0:2"])
        #expect(arguments.value(Self.limit) == "5")
        #expect(arguments.has(Self.all))
        #expect(!arguments.has(Self.partitions))
    }

    @Test func aValueMayBeAttachedAndHoldAnEqualsSign() throws {
        let arguments = try parse("--partitions=tasks=3", "--partitions", "dead=1")
        #expect(arguments.values(Self.partitions) == ["tasks=3", "dead=1"])
    }

    @Test func twoDashesEndTheOptions() throws {
        let arguments = try parse("--all", "--", "--limit", "-x")
        #expect(arguments.operands == ["--limit", "-x"])
        #expect(arguments.value(Self.limit) == nil)
    }

    @Test(arguments: [
        (["--limt", "5"], "unknown option --limt; did you mean --limit?"),
        (["-q"], "unknown option -q; there are: --limit, --all, --partitions"),
        (["--limit"], "--limit requires a value: --limit N"),
        (["--limit", "--all"], "--limit requires a value: --limit N"),
        (["--limit="], "--limit requires a value: --limit N"),
        (["--all=yes"], "--all takes no value"),
        (["--limit", "1", "--limit=2"], "--limit is given more than once"),
    ])
    func mistakesAreNamed(_ words: [String], sentence: String) {
        #expect(throws: UsageError(sentence)) {
            try CommandArguments(words, options: [Self.limit, Self.all, Self.partitions])
        }
    }

    @Test func numbersHaveARange() throws {
        #expect(try parse("--limit", "7").integer(Self.limit, default: 50, in: 1...10) == 7)
        #expect(try parse().integer(Self.limit, default: 50, in: 1...10) == 50)
        for wrong in ["0", "11", "many", "1.5"] {
            #expect(throws: UsageError("--limit \(wrong): expected an integer from 1 to 10")) {
                try parse("--limit", wrong).integer(Self.limit, default: 5, in: 1...10)
            }
        }
    }

    @Test func timesHaveARange() throws {
        #expect(
            try parse("--limit", "2m").duration(Self.limit, default: .zero, in: .zero ... .seconds(120))
                == .seconds(120))
        #expect(try parse().duration(Self.limit, default: .seconds(9), in: .zero ... .seconds(1)) == .seconds(9))
        for wrong in ["3m", "5", "soon"] {
            #expect(throws: UsageError("--limit \(wrong): expected a duration from 1s to 2m, such as 500ms or 2m")) {
                try parse("--limit", wrong).duration(Self.limit, default: .zero, in: .seconds(1) ... .seconds(120))
            }
        }
    }

    @Test(arguments: [
        ("list", "list", 0), ("lits", "list", 1), ("lst", "list", 1), ("listt", "list", 1), ("lost", "list", 1),
        ("", "list", 4), ("abc", "", 3), ("kitten", "sitting", 3),
    ])
    func distancesCountMistakes(_ left: String, _ right: String, distance: Int) {
        #expect(Spelling.distance(left, right) == distance)
    }

    /// A comparison costs the product of both lengths, and words may come from untrusted input.
    @Test func anOverlongWordHasNoAdvice() {
        #expect(Spelling.nearest(to: "aaaa", among: ["aaab"]) == "aaab")
        let long = String(repeating: "a", count: 65)
        #expect(Spelling.nearest(to: long, among: [long + "b"]) == nil)
    }
}
