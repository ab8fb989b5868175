import ServiceKit
import Synchronization

/// What `carillon up` tells the terminal: little, and each thing on a line.
final class UpReport: Sendable {
    private let terminal: any Terminal
    private let keepsResultFree: Bool
    private let time: any TimeSource
    private let gate = Mutex(RemarkGate())

    /// `keepsResultFree` leaves standard output to the one line that a script waits for.
    init(_ terminal: any Terminal, keepsResultFree: Bool, time: any TimeSource) {
        self.terminal = terminal
        self.keepsResultFree = keepsResultFree
        self.time = time
    }

    func say(_ text: String) {
        if keepsResultFree { terminal.complain(text) } else { terminal.print(text) }
    }

    /// Something that happened while everything runs. On standard error: a reader of the start who has seen enough and is
    /// gone must not end it.
    func tell(_ text: String) {
        terminal.complain("\(time.now.description.dropFirst(11).prefix(8)) \(text)")
    }

    /// A line of a program's log, which is shown when it matters.
    func hear(_ line: String, of program: String, in dialect: LogRemark.Dialect, file: String) {
        guard let remark = LogRemark(line, in: dialect) else { return }
        switch gate.withLock({ $0.judge(program, at: time.uptime) }) {
        case .show: tell("\(program) \(remark.text)")
        case .sayThereIsMore: tell("\(program) says more than is shown here; all of it is in \(file)")
        case .hide: break
        }
    }
}
