import CommandKit
import Glibc
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// The scripts of `carillon completion`, in the shells they are made for.
@Suite(.timeLimit(.minutes(3))) struct ShellCompletionTests {
    private let folder = TemporaryDirectory("completion")

    private func script(_ shell: CompletionShell) -> String {
        folder.write("script", content: CommandTree.carillon.completion(for: shell) + "\n")
        return folder.file("script")
    }

    private func output(_ program: String, _ arguments: [String]) async throws -> [String] {
        let process = try ChildProcess(program, arguments: arguments)
        await process.line { _ in false }
        #expect(await process.end(within: .hangLimit) == .exited(0), "\(process.lines)")
        return process.lines
    }

    /// What bash offers after these words, of which the last is incomplete.
    private func bash(_ words: [String]) async throws -> [String] {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let lines = """
            set -eu
            cd '\(folder.path)'
            source '\(script(.bash))'
            COMP_WORDS=(carillon \(quoted))
            COMP_CWORD=\(words.count)
            set +eu
            _carillon
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try await output("bash", ["--norc", "-c", lines]).filter { !$0.isEmpty }
    }

    @Test(arguments: [
        (["pu"], ["push"]), (["--v"], ["--version"]), (["tasks", "c"], ["cancel"]),
        (["dead", ""], ["list", "show", "replay"]),
        (["tasks", "--sch"], ["--scheduled"]), (["tasks", "show", "--j"], ["--json"]),
        (["tasks", "show", "t1", "--key-"], ["--key-file"]), (["push", "--topic", ""], []),
        (["push", "--top"], ["--topic"]), (["help", "envir"], ["environment"]), (["help", "topics", "c"], ["create"]),
        (["completion", ""], ["bash", "zsh", "fish"]), (["completion", "z"], ["zsh"]), (["nothing", ""], []),
        (["watch", "--j"], ["--json"]), (["ben"], ["bench"]), (["bench", ""], []),
    ])
    func bashCompletes(_ words: [String], offered: [String]) async throws {
        #expect(try await bash(words) == offered)
    }

    @Test func bashCompletesFilesAndFolders() async throws {
        folder.write("my task.json", content: "{}")
        mkdir(folder.file("my folder"), 0o700)
        #expect(try await bash(["push", "--file", "my"]).sorted() == ["my folder", "my task.json"])
        #expect(try await bash(["push", "--file", "=", "my t"]) == ["my task.json"])
        #expect(try await bash(["push", "--data", "my"]) == ["my folder"])
    }

    @Test func everyCommandAndOptionIsCompleted() {
        for shell in CompletionShell.allCases {
            let script = CommandTree.carillon.completion(for: shell)
            for declaration in CommandTree.carillon.declarations {
                #expect(script.contains(declaration.path.joined(separator: " ")), "\(shell)")
                for option in declaration.options {
                    let name = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
                    #expect(script.contains(name), "\(shell)")
                }
            }
        }
    }

    @Test func otherShellsAcceptTheirScripts() async throws {
        #expect(try await output("bash", ["-n", script(.bash)]) == [])
        #expect(try await output("zsh", ["-n", script(.zsh)]) == [])
        #expect(try await output("fish", ["--no-execute", script(.fish)]) == [])
    }

    @Test(arguments: [
        ("carillon pu", ["push"]), ("carillon tasks c", ["cancel"]), ("carillon push --top", ["--topic"]),
        ("carillon tasks show --js", ["--json"]), ("carillon completion f", ["fish"]),
        ("carillon help envir", ["environment"]), ("carillon help topics c", ["create"]),
    ])
    func fishCompletes(_ line: String, offered: [String]) async throws {
        let lines = try await output(
            "fish", ["--no-config", "--command", "source '\(script(.fish))'; complete --do-complete '\(line)'"])
        #expect(lines.map { String($0.prefix { $0 != "\t" }) } == offered)
    }

    /// Goal: zsh offers the words and options of a command. Method: its helper functions print what they are given.
    @Test(arguments: [
        (["pu"], "push:send a push notification"), (["tasks", ""], "cancel:"), (["tasks", "show", "--j"], "--json["),
        (["push", ""], "--file=[Task as JSON"), (["completion", ""], "(bash zsh fish)"),
        (["help", ""], "environment:"),
        (["help", "dead", ""], "replay:"),
    ])
    func zshCompletes(_ words: [String], offered: String) async throws {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let lines = """
            compdef() { :; }
            _describe() { print -rl -- "${(@P)4}"; }
            _arguments() { print -rl -- "$@"; }
            source '\(script(.zsh))'
            words=(carillon \(quoted))
            CURRENT=\(words.count + 1)
            _carillon
            """
        let shown = try await output("zsh", ["--no-rcs", "-c", lines])
        #expect(shown.contains { $0.contains(offered) }, "\(shown)")
    }

    @Test func anUnknownShellIsNamed() async {
        let terminal = RecordedTerminal()
        let context = CommandContext(terminal: terminal, variables: [:])
        #expect(await CommandTree.carillon.run(["completion", "tcsh"], in: context) == 64)
        #expect(terminal.complaints.first?.hasPrefix("carillon: no completion for the shell tcsh; ") == true)
    }
}
