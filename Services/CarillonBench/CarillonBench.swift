import CommandKit
import Glibc
import ServiceKit

/// The benchmarks, which `carillon bench` starts. Each has its own file; `CommandTree.bench` lists them.
package struct CarillonBench {
    package static func main() async {
        // A write to a connection closed by its peer must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let variables = EnvironmentReader.processEnvironment()
        let context = CommandContext(terminal: ProcessTerminal(variables: variables), variables: variables)
        exit(await CommandTree.bench.run(Array(CommandLine.arguments.dropFirst()), in: context))
    }
}
