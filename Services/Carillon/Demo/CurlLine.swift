import ServiceKit

/// A request to the HTTP API as a shell command; the demonstration runs exactly the line that it shows. curl reads the
/// key from standard input, where a shell builtin writes it: other users can list the arguments of programs.
struct CurlLine: Sendable {
    private let keyFile: String
    private let words: [String]

    init(keyFile: String, _ words: [String]) {
        self.keyFile = keyFile
        self.words = words
    }

    var text: String {
        let curl = (["curl", "-K", "-"] + words).map(ShellWord.quoted).joined(separator: " ")
        return "printf 'user = \"%s:\"' \"$(cat \(ShellWord.quoted(keyFile)))\" | \(curl)"
    }

    /// Output of the command, and whether it succeeded.
    func run() async throws -> (answer: String, isDone: Bool) {
        let shell = try ChildProcess("sh", arguments: ["-c", text])
        let ending = await shell.end(within: .seconds(30))
        return (shell.lines.joined(separator: "\n"), ending == .exited(0))
    }
}
