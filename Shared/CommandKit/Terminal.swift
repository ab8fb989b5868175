import Glibc
import ServiceHost
import ServiceKit

/// Output of a command, and confirmation by the user.
package protocol Terminal: Sendable {
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
package struct ProcessTerminal: Terminal {
    /// Assumed for a terminal that does not report its width.
    private static let columnsUsual = 80

    package init() {}

    /// A result that cannot be written is a failure. A reader that closed the pipe gets no message.
    package func print(_ text: String) {
        guard !WholeWrite.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: STDOUT_FILENO) else {
            return
        }
        if errno != EPIPE { complain("carillon: cannot write the result: \(String(cString: strerror(errno)))") }
        exit(ExitCode.failure)
    }

    package func complain(_ text: String) {
        StandardError.print(text)
    }

    package var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    package var columns: Int { getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? ProcessTerminal.columnsUsual }

    package func redraw(_ line: String?) {
        WholeWrite.write(Array("\r\u{1B}[K\(line ?? "")".utf8), to: STDOUT_FILENO)
    }

    package func confirm(_ question: String) async -> Bool? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        complain("\(question) [y/N]")
        let answer = await onNativeThread("question") { readLine() ?? "" }
        return ["y", "yes"].contains(answer.lowercased())
    }
}
