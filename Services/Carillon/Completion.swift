import CommandKit
import ServiceKit

/// `carillon completion`: a script with which a shell completes the command.
struct Completion: Command {
    static let declaration = CommandDeclaration(
        "completion", purpose: "print a script that completes commands, options and files in a shell",
        operands: CompletionShell.placeholder,
        notes: """
            Load it in the file that your shell reads at its start:

              source <(carillon completion bash)      # ~/.bashrc
              source <(carillon completion zsh)       # ~/.zshrc, after compinit
              carillon completion fish | source       # ~/.config/fish/config.fish
            """)

    private let shell: CompletionShell

    init(_ arguments: CommandArguments) throws(UsageError) {
        let name = try arguments.operand("shell: \(CompletionShell.placeholder)")
        guard let shell = CompletionShell(rawValue: name) else {
            let names = CompletionShell.allCases.map(\.rawValue)
            throw UsageError("no completion for the shell \(name)" + Spelling.advice(name, among: names))
        }
        self.shell = shell
    }

    func run(in context: CommandContext) -> Int32 {
        context.terminal.print(CommandTree.carillon.completion(for: shell))
        return 0
    }
}
