import Glibc
import ServiceHost
import ServiceKit

/// Where a command's words go, and who can be asked.
protocol Console: Sendable {
    /// The result: a line, or several.
    func print(_ text: String)
    /// What went wrong, or what a person should know besides.
    func complain(_ text: String)
    /// Nil when nobody sits there.
    func confirm(_ question: String) async -> Bool?
}

/// Standard output, standard error, and a terminal on standard input.
struct ProcessConsole: Console {
    private let output = StandardOutputSink()

    func print(_ text: String) {
        output.write(line: text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }

    func complain(_ text: String) {
        StandardError.print(text)
    }

    func confirm(_ question: String) async -> Bool? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        complain("\(question) [y/N]")
        let answer = await onNativeThread("question") { readLine() ?? "" }
        return ["y", "yes"].contains(answer.lowercased())
    }
}

/// Log lines of the libraries: standard output belongs to the result.
struct StandardErrorSink: LogSink {
    func write(line: String) {
        StandardError.print(line)
    }
}
