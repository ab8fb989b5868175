/// A shell for which completion scripts are made.
package enum CompletionShell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    /// Placeholder of an operand that names a shell.
    package static let placeholder = allCases.map(\.rawValue).joined(separator: "|")
}

extension CommandTree {
    /// A script that completes commands, options and files; it does not start the program.
    package func completion(for shell: CompletionShell) -> String {
        let words = CompletionWords(self)
        switch shell {
        case .bash: return BashCompletion(words).text
        case .zsh: return ZshCompletion(words).text
        case .fish: return FishCompletion(words).text
        }
    }
}
