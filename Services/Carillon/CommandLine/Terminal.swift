import Glibc
import ServiceHost
import ServiceKit

/// Where a command's words go, and who can be asked.
protocol Terminal: Sendable {
    /// The result: a line, or several.
    func print(_ text: String)
    /// What went wrong, or what a person should know besides.
    func complain(_ text: String)
    /// Whether somebody sees the result as it comes, and how wide their screen is.
    var isTerminal: Bool { get }
    var columns: Int { get }
    /// On a terminal: draws over the line drawn before; nil only removes it.
    func redraw(_ line: String?)
    /// Nil when nobody sits there.
    func confirm(_ question: String) async -> Bool?
}

/// Standard output, standard error, and a terminal on standard input.
struct ProcessTerminal: Terminal {
    /// A result that nobody gets is a failure; only a reader who has seen enough is not told so.
    func print(_ text: String) {
        guard !WholeWrite.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: STDOUT_FILENO) else {
            return
        }
        if errno != EPIPE { complain("carillon: the result cannot be written: \(String(cString: strerror(errno)))") }
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

/// Log lines of the libraries: standard output belongs to the result.
struct StandardErrorSink: LogSink {
    func write(line: String) {
        StandardError.print(line)
    }
}
