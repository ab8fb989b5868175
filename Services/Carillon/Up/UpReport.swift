import CommandKit
import ServiceKit
import Synchronization

/// Output of `carillon up` on the terminal, one line per event.
final class UpReport: Sendable {
    private let terminal: any Terminal
    private let usesStandardError: Bool
    private let time: any TimeSource
    private let gate = Mutex(RemarkGate())

    /// `usesStandardError` reserves standard output for the one line that a script waits for.
    init(_ terminal: any Terminal, usesStandardError: Bool, time: any TimeSource) {
        self.terminal = terminal
        self.usesStandardError = usesStandardError
        self.time = time
    }

    func say(_ text: String) {
        if usesStandardError { terminal.complain(text) } else { terminal.print(text) }
    }

    /// Prints an event while the pipeline runs. It goes to standard error: a reader may close standard output after the
    /// start, which must not end the pipeline.
    func tell(_ text: String) {
        terminal.complain("\(time.now.description.dropFirst(11).prefix(8)) \(text)")
    }

    /// Prints a line of a program's log if it is a warning or an error.
    func hear(_ line: String, of program: String, in dialect: LogRemark.Dialect, file: String) {
        guard let remark = LogRemark(line, in: dialect) else { return }
        switch gate.withLock({ $0.judge(program, at: time.uptime) }) {
        case .show: tell("\(program) \(remark.text)")
        case .sayThereIsMore: tell("\(program) logs more than is shown here; see \(file)")
        case .hide: break
        }
    }
}
