import Glibc
import ServiceKit

/// The operator's command. Each command is a file of its own; `CommandTree` is the list of them.
@main struct App {
    static func main() async {
        // A peer that closes its connection is an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let context = CommandContext(
            terminal: ProcessTerminal(), variables: EnvironmentReader.processEnvironment(),
            program: CommandLine.arguments.first ?? "carillon")
        exit(await CommandTree.carillon.run(Array(CommandLine.arguments.dropFirst()), in: context))
    }
}
