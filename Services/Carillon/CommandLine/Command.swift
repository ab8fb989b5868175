/// One command: what it is called and takes, made from what was written, run in what surrounds it.
protocol Command: Sendable {
    static var declaration: CommandDeclaration { get }
    init(_ arguments: CommandArguments) throws(UsageError)
    /// Returns the exit code; throws where nothing more specific can be said than the error itself.
    func run(in context: CommandContext) async throws -> Int32
}

struct CommandDeclaration: Sendable {
    /// One or two words, such as `topics create`.
    let path: [String]
    let purpose: String
    /// What stands for the operands in the help, such as `NAME…`; nil when it takes none.
    let operands: String?
    let options: [CommandOption]
    /// What else one should know before running it.
    let notes: String

    init(
        _ path: String, purpose: String, operands: String? = nil, options: [CommandOption] = [], notes: String = ""
    ) {
        self.path = path.split(separator: " ").map(String.init)
        self.purpose = purpose
        self.operands = operands
        self.options = options
        self.notes = notes
    }

    var name: String { path.joined(separator: " ") }

    var help: String {
        var text = "carillon \(name): \(purpose)\n\nUsage: carillon \(name)"
        if !options.isEmpty { text += " [OPTIONS]" }
        if let operands { text += " \(operands)" }
        text += "\n\nOptions:\n"
        for option in options + [.help] {
            text += "\n  \(option.name)\(option.placeholder.map { " \($0)" } ?? "")\n      \(option.meaning)\n"
        }
        return notes.isEmpty ? text : "\(text)\n\(notes)\n"
    }
}

extension CommandOption {
    /// Every command has it; the tree answers it.
    static let help = CommandOption("--help", meaning: "Show this.")

    /// Every command that opens the bus has it; the tree puts it in the place of the variable.
    static let bus = CommandOption(
        "--bus", value: "URL",
        meaning:
            "The bus, in place of CARILLON_BUS. Where it holds a password set the variable: others can see arguments.")
}
