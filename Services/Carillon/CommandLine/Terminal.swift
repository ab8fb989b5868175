import Glibc
import ServiceHost
import ServiceKit

/// Output of a command, and confirmation by the user.
protocol Terminal: Sendable {
    /// Prints the result: one or more lines.
    func print(_ text: String)
    /// Prints an error, a warning or progress.
    func complain(_ text: String)
    /// True if the result goes to a terminal, which has this many `columns`.
    var isTerminal: Bool { get }
    var columns: Int { get }
    /// On a terminal: overwrites the line drawn before; nil only erases it.
    func redraw(_ line: String?)
    /// Nil if standard input is not a terminal.
    func confirm(_ question: String) async -> Bool?
}

/// Standard output, standard error, and a terminal on standard input.
struct ProcessTerminal: Terminal {
    /// A result that cannot be written is a failure. A reader that closed the pipe gets no message.
    func print(_ text: String) {
        guard !WholeWrite.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: STDOUT_FILENO) else {
            return
        }
        if errno != EPIPE { complain("carillon: cannot write the result: \(String(cString: strerror(errno)))") }
        exit(ExitCode.failure)
    }

    func complain(_ text: String) {
        StandardError.print(text)
    }

    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    var columns: Int { getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? ProgressBar.usualWidth }

    func redraw(_ line: String?) {
        WholeWrite.write(Array("\r\u{1B}[K\(line ?? "")".utf8), to: STDOUT_FILENO)
    }

    func confirm(_ question: String) async -> Bool? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        complain("\(question) [y/N]")
        let answer = await onNativeThread("question") { readLine() ?? "" }
        return ["y", "yes"].contains(answer.lowercased())
    }
}

/// Log lines of libraries go to standard error: standard output is reserved for the result.
struct StandardErrorSink: LogSink {
    func write(line: String) {
        StandardError.print(line)
    }
}
