import Glibc
import ServiceHost
import ServiceKit

/// Output of a command, and confirmation by the user.
package protocol Terminal: Sendable {
    /// Prints the result: one or more lines.
    func print(_ text: String)
    /// Prints an error, a warning or progress.
    func complain(_ text: String)
    /// True if the result goes to a terminal whose lines can be overwritten.
    var isTerminal: Bool { get }
    /// Width of that terminal now: the user may change it at any time.
    var columns: Int { get }
    /// For results.
    var styling: Styling { get }
    /// For what `complain` prints, which may go elsewhere than the result.
    var complaintStyling: Styling { get }
    /// On a terminal: overwrites the line drawn before; nil only erases it.
    func redraw(_ line: String?)
    /// Nil if standard input is not a terminal.
    func confirm(_ question: String) async -> Bool?
}

extension Terminal {
    package func print(_ table: Table) {
        print(table.text(styling))
    }

    /// Prints an error, whose source before the first colon is red.
    package func complain(error text: String) {
        complain(text, style: .red)
    }

    /// Prints `warning: ` and the text.
    package func complain(warning text: String) {
        complain("warning: \(text)", style: .yellow)
    }

    private func complain(_ text: String, style: TextStyle) {
        let head = text.prefix { $0 != ":" }
        complain(complaintStyling.apply(style, to: String(head)) + text.dropFirst(head.count))
    }
}

/// Standard output, standard error, and a terminal on standard input.
package struct ProcessTerminal: Terminal {
    private let variables: [String: String]

    package init(variables: [String: String]) {
        self.variables = variables
    }

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

    package var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 && variables["TERM"] != "dumb" }

    package var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return TerminalWidth.columns(reported: isKnown ? Int(size.ws_col) : 0, variables: variables)
    }

    package var styling: Styling { Styling(isTerminal: isatty(STDOUT_FILENO) == 1, variables: variables) }

    package var complaintStyling: Styling {
        Styling(isTerminal: isatty(STDERR_FILENO) == 1, variables: variables)
    }

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
