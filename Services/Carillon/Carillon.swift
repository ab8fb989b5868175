import CommandKit
import Glibc
import ServiceKit

/// The operator's command. Each subcommand has its own file; `CommandTree` lists them.
package struct Carillon {
    package static func main() async {
        // A write to a connection closed by its peer must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let variables = EnvironmentReader.processEnvironment()
        let context = CommandContext(
            terminal: ProcessTerminal(variables: variables), variables: variables,
            program: CommandLine.arguments.first ?? "carillon")
        exit(await CommandTree.carillon.run(Array(CommandLine.arguments.dropFirst()), in: context))
    }
}
