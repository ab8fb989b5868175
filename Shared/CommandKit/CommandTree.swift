import Bus
import ServiceHost
import ServiceKit

/// All commands of a program, and the dispatch of a command line to one of them.
package struct CommandTree: Sendable {
    /// Action requested by a command line.
    enum Request {
        case show(String)
        case showEnvironment
        case run(any Command.Type, [String])
        case execute(CommandProgram, [String])
    }

    /// What users type before a command, such as `carillon`.
    let name: String
    let purpose: String
    let commands: [any Command.Type]
    let programs: [CommandProgram]
    let variables: [VariableGroup]
    package let exitCodes: [ExitCodeMeaning]
    let files: [ManualFile]
    /// The context of a command that opens the bus, with the bus that its arguments select.
    private let choosingBus: @Sendable (CommandContext, CommandArguments) throws -> CommandContext

    package init(
        _ name: String, purpose: String, commands: [any Command.Type], programs: [CommandProgram] = [],
        variables: [VariableGroup], exitCodes: [ExitCodeMeaning] = [], files: [ManualFile] = [],
        choosingBus: @escaping @Sendable (CommandContext, CommandArguments) throws -> CommandContext = {
            context, arguments in
            context.choosing(bus: arguments.value(.bus))
        }
    ) {
        self.name = name
        self.purpose = purpose
        self.commands = commands
        self.programs = programs
        self.variables = variables
        self.exitCodes = (ExitCodeMeaning.common + exitCodes).sorted { $0.code < $1.code }
        self.files = files
        self.choosingBus = choosingBus
    }

    package var declarations: [CommandDeclaration] { commands.map { $0.declaration } }

    /// Returns one of `exitCodes`.
    package func run(_ words: [String], in context: CommandContext) async -> Int32 {
        var command = ""
        do {
            switch try request(words) {
            case .show(let text): context.terminal.print(text)
            case .showEnvironment: context.terminal.print(variables.map(\.help).joined(separator: "\n"))
            case .run(let type, let rest):
                command = type.declaration.name + " "
                return try await run(type, words: rest, in: context)
            case .execute(let program, let rest):
                complainOfVariables(in: context)
                try program.execute(rest)
            }
            return 0
        } catch let error as UsageError {
            context.terminal.complain(error: "\(name): \(error)\nSee \(name) \(command)--help")
            return ExitCode.usage
        } catch let error as ConfigurationError {
            context.terminal.complain(error: "\(name) cannot start:\n\(error)")
            return ExitCode.configuration
        } catch {
            context.terminal.complain(error: "\(name): \(error)")
            return ExitCode.failure
        }
    }

    private func run(
        _ command: any Command.Type, words: [String], in context: CommandContext
    ) async throws -> Int32 {
        let declaration = command.declaration
        let arguments = try CommandArguments(words, options: declaration.options)
        if declaration.operands == nil, let stray = arguments.operands.first {
            throw UsageError("\(declaration.name) takes no argument \"\(stray)\"")
        }
        complainOfVariables(in: context)
        let opensBus = declaration.options.contains { $0.name == CommandOption.bus.name }
        let chosen = opensBus ? try choosingBus(context, arguments) : context
        do {
            return try await command.init(arguments).run(in: chosen)
        } catch let error as BusError {
            // The libraries' errors do not always contain the address.
            context.terminal.complain(error: "\(name): \(error)\nThe bus is \(try chosen.settings().bus.address)")
            return ExitCode.failure
        }
    }

    private func complainOfVariables(in context: CommandContext) {
        for unknown in variables.unknownVariables(in: context.variables) {
            context.terminal.complain("\(name): \(unknown)")
        }
    }

    func request(_ words: [String]) throws(UsageError) -> Request {
        switch words.first {
        case nil: throw UsageError("no command given\n\n\(overview)")
        case "--version": return .show("carillon \(CarillonVersion.current)")
        case "help": return try help(Array(words.dropFirst()))
        case .some(let word) where isHelp(word): return .show(overview)
        case .some: break
        }
        if let program = program(words) { return .execute(program, Array(words.dropFirst())) }
        // `tasks` is a command and also the prefix of others.
        let fitting = commands.filter { words.starts(with: $0.declaration.path) }
        guard let command = fitting.max(by: { $0.declaration.path.count < $1.declaration.path.count }) else {
            if words.dropFirst().first.map(isHelp) == true { return try help([words[0]]) }
            throw unknown(words)
        }
        let rest = words.dropFirst(command.declaration.path.count)
        if rest.prefix(while: { $0 != "--" }).contains(where: isHelp) {
            return .show(command.declaration.help(in: name))
        }
        return .run(command, Array(rest))
    }

    private func program(_ words: [String]) -> CommandProgram? {
        programs.first { $0.word == words.first }
    }

    private func isHelp(_ word: String) -> Bool {
        word == "--help" || word == "-h"
    }

    private func help(_ words: [String]) throws(UsageError) -> Request {
        if words.isEmpty { return .show(overview) }
        if words == ["environment"] { return .showEnvironment }
        if words == ["man"] { return .show(ManualPage(self).text) }
        if let program = program(words) { return .execute(program, ["help"] + words.dropFirst()) }
        if let command = commands.first(where: { $0.declaration.path == words }) {
            return .show(command.declaration.help(in: name))
        }
        let group = commands.filter { $0.declaration.path.starts(with: words) }
        guard !group.isEmpty else { throw unknown(words) }
        return .show(
            "Usage: \(name) \(words.joined(separator: " ")) COMMAND\n\nCommands:\n\n"
                + CommandTree.text(of: group.map(CommandTree.row)))
    }

    /// Names the first word that matches no command.
    private func unknown(_ words: [String]) -> UsageError {
        let paths = commands.map { $0.declaration.path } + programs.map { [$0.word] }
        if !paths.contains(where: { $0.count > 1 && $0[0] == words[0] }) {
            let firsts = paths.map { $0[0] }.reduce(into: [String]()) { known, word in
                if !known.contains(word) { known.append(word) }
            }
            return UsageError("unknown command \"\(words[0])\"" + Spelling.advice(words[0], among: firsts + ["help"]))
        }
        return unknown(words, below: 1, among: paths)
    }

    /// The first `depth` words begin some of the paths.
    private func unknown(_ words: [String], below depth: Int, among paths: [[String]]) -> UsageError {
        let known = words.prefix(depth)
        let next = paths.filter { $0.count > depth && $0.starts(with: known) }.map { $0[depth] }
            .reduce(into: [String]()) { list, word in if !list.contains(word) { list.append(word) } }
        guard words.count > depth else {
            return UsageError("\(known.joined(separator: " ")) requires a subcommand: \(next.joined(separator: ", "))")
        }
        // A word that begins further commands is not the wrong one.
        let longer = paths.contains { $0.count > depth + 1 && $0.starts(with: words.prefix(depth + 1)) }
        if longer { return unknown(words, below: depth + 1, among: paths) }
        let command = words.prefix(depth + 1).joined(separator: " ")
        return UsageError("unknown command \"\(command)\"" + Spelling.advice(words[depth], among: next))
    }

    private var overview: String {
        let rows = commands.map(CommandTree.row) + programs.map { ["  \($0.word)", $0.purpose] }
        return """
            carillon \(CarillonVersion.current): \(purpose)

            Usage: \(name) COMMAND [OPTIONS]

            Commands:

            \(CommandTree.text(of: rows))
            Run \(name) help COMMAND for the options of a command, \(name) help environment for the environment
            variables, \(name) help man for a manual page, \(name) --version for the version.

            Exit codes:

            \(CommandTree.text(of: exitCodes.map { ["  \($0.code)", $0.text] }))
            """
    }

    private static func row(_ command: any Command.Type) -> [String] {
        ["  " + command.declaration.name, command.declaration.purpose]
    }

    private static func text(of rows: [[String]]) -> String {
        Table(rows: rows).text
    }
}
