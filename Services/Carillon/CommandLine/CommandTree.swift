import Bus
import ServiceHost
import ServiceKit

/// All commands, and the dispatch of a command line to one of them.
struct CommandTree: Sendable {
    static let carillon = CommandTree([
        Up.self,
        Push.self, Watch.self, TasksList.self, TasksShow.self, TasksCancel.self,
        AppsAdd.self, AppsList.self, AppsRotate.self, AppsCheck.self,
        TopicsList.self, TopicsCreate.self,
        DeadList.self, DeadShow.self, DeadReplay.self,
        Rebuild.self,
        BenchBus.self, BenchRegistry.self, BenchSend.self, BenchIngest.self,
        BenchHTTP.self, BenchPipeline.self, BenchOutage.self, BenchHostile.self, BenchLoad.self,
    ])

    /// Action requested by a command line.
    enum Request {
        case show(String)
        case showEnvironment
        case run(any Command.Type, [String])
    }

    private let commands: [any Command.Type]

    init(_ commands: [any Command.Type]) {
        self.commands = commands
    }

    /// Exit codes: 0 success, 1 failure, 64 invalid command line, 78 invalid environment; also those of `TaskExitCode`.
    func run(_ words: [String], in context: CommandContext) async -> Int32 {
        var name = ""
        do {
            switch try request(words) {
            case .show(let text): context.terminal.print(text)
            case .showEnvironment: context.terminal.print(context.environmentHelp)
            case .run(let command, let rest):
                name = command.declaration.name + " "
                return try await run(command, words: rest, in: context)
            }
            return 0
        } catch let error as UsageError {
            context.terminal.complain("carillon: \(error)\nSee carillon \(name)--help")
            return ExitCode.usage
        } catch let error as ConfigurationError {
            context.terminal.complain("carillon cannot start:\n\(error)")
            return ExitCode.configuration
        } catch {
            context.terminal.complain("carillon: \(error)")
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
        for stranger in context.unknownVariables { context.terminal.complain("carillon: \(stranger)") }
        let chosen = context.choosing(bus: arguments.value(.bus))
        do {
            return try await command.init(arguments).run(in: chosen)
        } catch let error as BusError {
            // The libraries' errors do not always contain the address.
            context.terminal.complain("carillon: \(error)\nThe bus is \(try chosen.settings().bus.address)")
            return ExitCode.failure
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
        // `tasks` is a command and also the prefix of others.
        let fitting = commands.filter { words.starts(with: $0.declaration.path) }
        guard let command = fitting.max(by: { $0.declaration.path.count < $1.declaration.path.count }) else {
            if words.dropFirst().first.map(isHelp) == true { return try help([words[0]]) }
            throw unknown(words)
        }
        let rest = words.dropFirst(command.declaration.path.count)
        if rest.prefix(while: { $0 != "--" }).contains(where: isHelp) { return .show(command.declaration.help) }
        return .run(command, Array(rest))
    }

    private func isHelp(_ word: String) -> Bool {
        word == "--help" || word == "-h"
    }

    private func help(_ words: [String]) throws(UsageError) -> Request {
        if words.isEmpty { return .show(overview) }
        if words == ["environment"] { return .showEnvironment }
        if let command = commands.first(where: { $0.declaration.path == words }) {
            return .show(command.declaration.help)
        }
        let group = commands.filter { $0.declaration.path.starts(with: words) }
        guard !group.isEmpty else { throw unknown(words) }
        return .show("Usage: carillon \(words.joined(separator: " ")) COMMAND\n\nCommands:\n\n" + summary(of: group))
    }

    /// Names the first word that matches no command.
    private func unknown(_ words: [String]) -> UsageError {
        let paths = commands.map { $0.declaration.path }
        let seconds = paths.filter { $0.count > 1 && $0[0] == words[0] }.map { $0[1] }
        if seconds.isEmpty {
            let firsts = paths.map { $0[0] }.reduce(into: [String]()) { known, word in
                if !known.contains(word) { known.append(word) }
            }
            return UsageError("unknown command \"\(words[0])\"" + Spelling.advice(words[0], among: firsts + ["help"]))
        }
        guard words.count > 1 else {
            return UsageError("\(words[0]) requires a subcommand: \(seconds.joined(separator: ", "))")
        }
        return UsageError("unknown command \"\(words[0]) \(words[1])\"" + Spelling.advice(words[1], among: seconds))
    }

    private var overview: String {
        """
        carillon \(CarillonVersion.current): the operator's command

        Usage: carillon COMMAND [OPTIONS]

        Commands:

        \(summary(of: commands))
        Run carillon help COMMAND for the options of a command, carillon help environment for the environment
        variables, carillon --version for the version.

        Exit codes: 0 success, 1 failure, 64 invalid command line, 78 invalid environment. Additionally for watch and
        push --watch: \(TaskExitCode.notAllDelivered) if not everything was delivered, \(TaskExitCode.cancelled) \
        if the task was cancelled.
        """
    }

    private func summary(of commands: [any Command.Type]) -> String {
        Table(rows: commands.map { ["  " + $0.declaration.name, $0.declaration.purpose] }).text
    }
}
