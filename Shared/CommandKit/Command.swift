/// One command: its declaration, its construction from parsed arguments, and its execution.
package protocol Command: Sendable {
    static var declaration: CommandDeclaration { get }
    init(_ arguments: CommandArguments) throws(UsageError)
    /// Returns the exit code; throws if the error itself is the most specific message.
    func run(in context: CommandContext) async throws -> Int32
}

package struct CommandDeclaration: Sendable {
    /// One or two words, such as `topics create`.
    package let path: [String]
    package let purpose: String
    /// Placeholder of the operands in the help, such as `NAME…`; nil if the command takes none.
    package let operands: String?
    package let options: [CommandOption]
    /// Details for the end of the help.
    package let notes: String

    package init(
        _ path: String, purpose: String, operands: String? = nil, options: [CommandOption] = [], notes: String = ""
    ) {
        self.path = path.split(separator: " ").map(String.init)
        self.purpose = purpose
        self.operands = operands
        self.options = options
        self.notes = notes
    }

    var name: String { path.joined(separator: " ") }

    /// The help of the command in a program of this name.
    func help(in program: String) -> String {
        var text = "\(program) \(name): \(purpose)\n\nUsage: \(program) \(name)"
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
    /// Accepted by every command and handled by `CommandTree`.
    package static let help = CommandOption("--help", meaning: "Show this help")

    /// Accepted by every command that opens the bus; `CommandTree` sets CARILLON_BUS from it.
    package static let bus = CommandOption(
        "--bus", value: "URL",
        meaning:
            "Bus URL, overrides CARILLON_BUS; use the variable if it contains a password: other users see arguments")

    package static let json = CommandOption("--json", meaning: "Print JSON, one object per line")
}
