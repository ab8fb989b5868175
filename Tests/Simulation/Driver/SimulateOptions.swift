/// The arguments of `carillon-simulate`.
struct SimulateOptions {
    static let usage = """
        Usage: carillon-simulate [--seed N] [--histories N] [--minutes M] [--trace] [--digest]
               carillon-simulate --bugs | --bug NAME [--seed N] [--histories N] [--minutes M]

        Runs the whole pipeline in this process, deterministically, with everything that may happen to it, and
        compares what became of each device with what publishers were told and providers accepted. A history that
        breaks a rule is shortened to the events that it needs.

          --seed N        the first seed; 1 by default
          --histories N   how many, with ascending seeds; 1 by default, \(BugHunt.seedsMaximum) for a mistake
          --minutes M     how long each is disturbed, in simulated minutes; \(History.minutes) by default
          --trace         prints everything that happens
          --digest        prints a number for each history, which is the same on every machine
          --bug NAME      plants a mistake, and says which history finds it first
          --bugs          does so with each mistake, and prints a table

        Mistakes: \(PlantedBug.allCases.map(\.rawValue).joined(separator: ", "))

        Exits with 0 if no rule was broken, or each mistake was found, else with 1; with 64 after a wrong argument.
        """

    private static let numbersMaximum: UInt64 = 1 << 40
    private static let minutesMaximum = 1_440

    private(set) var seed: UInt64 = 1
    private(set) var minutes = History.minutes
    private(set) var bugs: [PlantedBug] = []
    private(set) var printsTrace = false
    private(set) var printsDigest = false
    private(set) var printsHelp = false
    private var count: Int?

    var histories: Int { count ?? (bugs.isEmpty ? 1 : BugHunt.seedsMaximum) }

    struct Problem: Error {
        let text: String
    }

    init(_ arguments: [String]) throws(Problem) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": printsHelp = true
            case "--trace": printsTrace = true
            case "--digest": printsDigest = true
            case "--bugs": bugs = PlantedBug.allCases
            case "--bug": bugs = [try SimulateOptions.bug(rest.popFirst())]
            case "--seed": seed = try SimulateOptions.number(rest.popFirst(), for: argument)
            case "--histories": count = Int(try SimulateOptions.number(rest.popFirst(), for: argument))
            case "--minutes":
                minutes = Int(try SimulateOptions.number(rest.popFirst(), for: argument))
                guard minutes <= SimulateOptions.minutesMaximum else {
                    throw Problem(text: "--minutes is at most \(SimulateOptions.minutesMaximum)")
                }
            default: throw Problem(text: "unknown argument \(argument); see --help")
            }
        }
    }

    private static func number(_ text: String?, for name: String) throws(Problem) -> UInt64 {
        guard let text, let number = UInt64(text), 1...numbersMaximum ~= number else {
            throw Problem(text: "\(name) needs a number from 1 to \(numbersMaximum)")
        }
        return number
    }

    private static func bug(_ name: String?) throws(Problem) -> PlantedBug {
        guard let name, let bug = PlantedBug(rawValue: name) else {
            throw Problem(text: "--bug needs the name of a mistake; see --help")
        }
        return bug
    }
}
